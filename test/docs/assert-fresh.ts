import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Generator } from './generator.ts'
import { staleDocuments } from './stale-documents.ts'

/** A test for each generator: its documents are as it makes them now. Skipped, with the reason, where it can't be asked; never in CI. */
export const assertFresh = (generators: readonly Generator[]): void => {
  for (const generator of generators) {
    const reason = process.env.CI ? undefined : generator.cannotRun?.()
    test(`what npm run docs makes of the ${generator.name} is up to date`, { skip: reason ?? false }, async () => {
      const stale = await staleDocuments(generator, join(import.meta.dirname, '../..'))
      const paths = stale.map(({ path }) => path)
      assert.ok(paths.length === 0, `not up to date: ${paths.join(', ')}: npm run docs -- ${generator.name}`)
    })
  }
}
