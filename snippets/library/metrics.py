# /// snippet
# title.zh = "准确率、混淆矩阵、精确率、召回率、F1、平均交并比"
# title.en = "Accuracy, confusion matrix, precision, recall, F1, mean IoU"
# topics = ["T59"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch


def confusion(predicted, target, classes, ignore=-100):
    """Count the pairs: a row for each true class, a column for each predicted one."""
    counted = target != ignore
    pairs = target[counted] * classes + predicted[counted]
    return torch.bincount(pairs, minlength=classes**2).reshape(classes, classes)


def scores(matrix):
    hit = matrix.diag().double()
    told, there = matrix.sum(dim=0), matrix.sum(dim=1)
    return {
        "precision": hit / told,
        "recall": hit / there,
        "F1": 2 * hit / (told + there),
        "IoU": hit / (told + there - hit),
    }


torch.manual_seed(0)
target = torch.tensor([0] * 90 + [1] * 8 + [2] * 2)  # three classes, by no means balanced
predicted = target.clone()
predicted[85:92] = 0  # the majority swallows two of the second class
predicted[97:] = torch.tensor([2, 0, 2])

matrix = confusion(predicted, target, classes=3)
print("rows are true, columns predicted:", *matrix.tolist(), sep="\n  ")
print(f"accuracy {matrix.diag().sum() / matrix.sum():.3f}")
for name, values in scores(matrix).items():
    print(f"{name:9}", *(f"{value:.3f}" for value in values), f"  mean {values.mean():.3f}")

for true in range(3):  # once more, without the matrix
    for told in range(3):
        assert matrix[true, told] == ((target == true) & (predicted == told)).sum()

lazy = scores(confusion(torch.zeros_like(target), target, classes=3))
print("always the first class: accuracy 0.900, mean recall", f"{lazy['recall'].mean():.3f}")
print("  precision:", lazy["precision"].tolist())
assert lazy["precision"].isnan().sum() == 2  # never told: nothing divided by nothing

parts = [slice(0, 70), slice(70, 100)]
summed = sum(confusion(predicted[part], target[part], classes=3) for part in parts)
averaged = sum(scores(confusion(predicted[p], target[p], 3))["IoU"].nanmean() for p in parts) / 2
assert summed.equal(matrix)
print(f"mean IoU: counts summed {scores(summed)['IoU'].mean():.3f}, batches averaged {averaged:.3f}")
