import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unitPage } from '../../../lib/foundations/fleet/unit-rows.ts'
import type { HubApi } from '../../../lib/hub-client/hub-api.ts'
import { fleetTools } from '../../../lib/mcp/fleet-tools.ts'
import { quoted } from '../../../lib/mcp/quote.ts'
import { ready, unitOn } from '../foundations/fleet/fleet-parts.ts'

const listUnits = fleetTools.find(({ name }) => name === 'list_units')!

test('MC-10: 50,000 units are listed a page at a time, and a page stays small', async () => {
  const units = Array.from({ length: 50_000 }, (_, n) => ({
    object: unitOn(`cluster-${n % 1000}`, `unit-${String(n).padStart(5, '0')}`),
    ...{ state: 'ready' as const, message: ready.message },
  }))
  const fleet = { clusters: [], onHub: units }
  const asked: URL[] = []
  const api = {
    get: async (path: string) => {
      const url = new URL(path, 'http://hub.test')
      asked.push(url)
      const from = url.searchParams.get('continue')
      const limit = Number(url.searchParams.get('limit'))
      return { ...unitPage(fleet, { filter: {}, order: 'name', limit, ...(from && { continue: from }) }), refused: [] }
    },
  } as unknown as HubApi
  const context = { api, now: () => 0, signal: new AbortController().signal }
  const seen = new Set<string>()
  for (let next: string | undefined; ; ) {
    const { summary, data } = await listUnits.run({ limit: 100, continue: next }, context)
    assert.match(summary, /^50000 units match; 100 are in this page\.$/)
    for (const { name } of data.items as readonly { readonly name: string }[]) seen.add(name)
    assert.ok(quoted(summary, data, 'mark').length < 60_000)
    next = data.continue as string | undefined
    if (!next || asked.length === 10) break
  }
  assert.equal(seen.size, 1_000)
  assert.ok(asked.every(url => url.searchParams.get('limit') === '100'))
})
