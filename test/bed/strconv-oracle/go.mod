module keelson.test/strconv-oracle

go 1.26.0
