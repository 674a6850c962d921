module keelson.test/go-oracle

go 1.26.0
