"""The average top-k loss as an estimate of the CVaR."""
