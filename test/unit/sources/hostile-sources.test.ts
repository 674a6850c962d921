import { test } from 'node:test'
import { fuzzSources } from '../../fuzz/sources.ts'

test('reads or refuses what hostile registries and chart repositories send', async () => {
  await fuzzSources(1, 150)
})
