"""What every face over HTTP needs: who sent a request, and a server that ends in order."""
