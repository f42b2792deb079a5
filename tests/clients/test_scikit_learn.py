"""scikit-learn with ``array_api_dispatch=True``: estimators and metrics of our arrays."""

import numpy as np
import pytest

import gpuarray as cp
from tests.clients.fetching import agrees

sklearn = pytest.importorskip("sklearn")
scipy_array_api = pytest.importorskip("scipy._lib._array_api")

if not scipy_array_api.SCIPY_ARRAY_API:
    pytest.skip("SciPy was imported without SCIPY_ARRAY_API=1", allow_module_level=True)

from sklearn import metrics, model_selection, naive_bayes, preprocessing  # noqa: E402
from sklearn.metrics import pairwise  # noqa: E402

RNG = np.random.default_rng(0)
H = RNG.random((40, 4))
LABELS = (H.sum(axis=1) > 2).astype(np.int64)
GUESSES = np.where(RNG.random(40) < 0.8, LABELS, 1 - LABELS)
TARGET, PREDICTED = H @ [1.0, 2, 3, 4], 4 * RNG.random(40) + 1
SCORES = RNG.random(40)


@pytest.fixture(autouse=True)
def dispatched():
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize(
    "estimator",
    [
        preprocessing.StandardScaler(),
        preprocessing.MinMaxScaler(),
        preprocessing.MaxAbsScaler(),
        preprocessing.Normalizer(),
        preprocessing.Binarizer(threshold=0.5),
        preprocessing.PolynomialFeatures(2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_transformers(estimator):
    x = cp.asarray(H)
    made = sklearn.clone(estimator).fit(x)
    expected = sklearn.clone(estimator).fit(H)
    agrees(made.transform(x), expected.transform(H), 1e-10)
    if hasattr(made, "inverse_transform"):
        agrees(made.inverse_transform(x), expected.inverse_transform(H), 1e-10)


def test_labels():
    encoded = preprocessing.LabelEncoder().fit_transform(cp.asarray(LABELS * 3))
    agrees(encoded, LABELS)


def test_a_classifier():
    made = naive_bayes.GaussianNB().fit(cp.asarray(H), cp.asarray(LABELS))
    expected = naive_bayes.GaussianNB().fit(H, LABELS)
    agrees(made.predict(cp.asarray(H)), expected.predict(H))
    agrees(made.predict_proba(cp.asarray(H)), expected.predict_proba(H), 1e-8)


def test_train_test_split():
    parts = model_selection.train_test_split(cp.asarray(H), cp.asarray(LABELS), random_state=0)
    expected = model_selection.train_test_split(H, LABELS, random_state=0)
    for part, one in zip(parts, expected, strict=True):
        agrees(part, one)


@pytest.mark.parametrize(
    "name",
    ["mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "max_error",
     "median_absolute_error", "r2_score", "explained_variance_score", "mean_poisson_deviance",
     "mean_absolute_percentage_error", "mean_pinball_loss", "d2_tweedie_score"],
)  # fmt: skip
def test_metrics_of_regression(name):
    metric = getattr(metrics, name)
    found = metric(cp.asarray(TARGET), cp.asarray(PREDICTED))
    assert found == pytest.approx(metric(TARGET, PREDICTED), rel=1e-10)


@pytest.mark.parametrize(
    "name",
    ["accuracy_score", "zero_one_loss", "hamming_loss", "f1_score", "precision_score",
     "recall_score", "jaccard_score"],
)  # fmt: skip
def test_metrics_of_classification(name):
    metric = getattr(metrics, name)
    found = metric(cp.asarray(LABELS), cp.asarray(GUESSES))
    assert found == pytest.approx(metric(LABELS, GUESSES), rel=1e-10)


@pytest.mark.parametrize(
    "name", ["roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"]
)
def test_metrics_of_scores(name):
    metric = getattr(metrics, name)
    found = metric(cp.asarray(LABELS), cp.asarray(SCORES))
    assert found == pytest.approx(metric(LABELS, SCORES), rel=1e-10)


def test_confusion_matrix():
    found = metrics.confusion_matrix(cp.asarray(LABELS), cp.asarray(GUESSES))
    agrees(found, metrics.confusion_matrix(LABELS, GUESSES))


@pytest.mark.parametrize("name", ["chi2_kernel", "additive_chi2_kernel", "manhattan_distances"])
def test_pairs(name):
    function = getattr(pairwise, name)
    agrees(function(cp.asarray(H)), function(H), 1e-10)


def test_estimators_of_linear_algebra():
    from sklearn import decomposition, discriminant_analysis, linear_model

    x, labels, target = cp.asarray(H), cp.asarray(LABELS), cp.asarray(TARGET)
    for estimator, given in (
        (linear_model.Ridge(solver="svd"), (x, target)),
        (decomposition.PCA(2, svd_solver="full"), (x,)),
        (discriminant_analysis.LinearDiscriminantAnalysis(), (x, labels)),
    ):
        fitted = sklearn.clone(estimator).fit(*given)
        expected = sklearn.clone(estimator).fit(*[value.get() for value in given])
        for name in ("coef_", "components_"):
            if hasattr(expected, name):
                agrees(abs(getattr(fitted, name)), abs(getattr(expected, name)), 1e-6)
