package main

// These are the texts of ../texts.go: a module of its own cannot import them.

var deltas = func() (list [256]string) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz    "
	seed := uint32(12345)
	for i := range list {
		var b [4]byte
		for j := range b {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			b[j] = alphabet[seed%uint32(len(alphabet))]
		}
		list[i] = string(b[:])
	}
	return list
}()

var (
	prose     = textOf(2048)
	arguments = func() string {
		const head = `{"path":"src/module/file.ts","query":"`
		return head + textOf(200-len(head)-2) + `"}`
	}()
)

func textOf(n int) string {
	b := make([]byte, 0, n+4)
	for i := 0; len(b) < n; i++ {
		b = append(b, deltas[(i*7+n)&255]...)
	}
	return string(b[:n])
}
