"""An invoice on its way through a company: drafted, reviewed, approved and paid, by four people whom one workflow keeps in order."""
