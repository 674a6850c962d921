import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownDocs } from '../../../lib/compose/docs-pages.ts'
import { bestSections, sectionsOf } from '../../../lib/mcp/docs-index.ts'

test('a page is searched by its sections', () => {
  const sections = sectionsOf(
    'clusters',
    '# Clusters\nAll of them.\n## Windows\nThey hold changes back.\n## Limits\nThey hold requests back.\n',
  )
  assert.deepEqual(
    sections.map(({ heading, text }) => [heading, text]),
    [
      ['Clusters', 'All of them.'],
      ['Windows', 'They hold changes back.'],
      ['Limits', 'They hold requests back.'],
    ],
  )
  assert.deepEqual(
    bestSections(sections, 'hold windows').map(({ heading }) => heading),
    ['Windows', 'Limits'],
  )
  assert.deepEqual(bestSections(sections, 'nothing'), [])
})

test('the documentation of this project answers common questions', async () => {
  const sections = await ownDocs().sections()
  for (const [query, page] of [
    ['move from flux', 'from-flux'],
    ['deny changes at night window time zone', 'clusters'],
    ['secret of a webhook receiver', 'webhooks'],
  ] as const)
    assert.ok(
      bestSections(sections, query)
        .slice(0, 3)
        .some(found => found.page === page),
      query,
    )
})
