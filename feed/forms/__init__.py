"""Forms for posts, comments, pictures, lists, filters, search and the steps after sign-up."""
