package sse

// SetLimit lowers the limit of a reader, which is too large to reach in a test.
func SetLimit(r *Reader, n int) { r.limit = n }
