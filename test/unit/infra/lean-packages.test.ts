import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { bundle } from '../../../infra/bundle.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { tempDir } from '../../bed/temp-dir.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

interface Role {
  isDelegatedPath(path: string): boolean
}
interface Models {
  readonly DelegatedRole: new (options: object) => Role
}

test('in a bundle, roles of TUF are delegated the same paths as outside of it', async () => {
  const folder = tempDir()
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('tuf-js'))
  const source = join(dirname(resolve('@tufjs/models')), 'role.js')
  await bundle({ models: source }, folder)
  const bundled: { readonly default: Models } = await import(pathToFileURL(join(folder, 'models.mjs')).href)
  const original: { readonly default: Models } = await import(pathToFileURL(source).href)
  const paths = ['a.json', 'registry.npmjs.org/keys.json', 'a/b/c.txt', '.hidden', '[a]', 'rekor1.pub', 'a*']
  const patterns = [
    '*',
    '*.json',
    'registry.npmjs.org/*',
    '*/*/*.txt',
    'rekor?.pub',
    'rekor[0-9].pub',
    '{a,b}.json',
    '',
  ]
  const delegated = ({ DelegatedRole }: Models) =>
    patterns.map(pattern => {
      const role = new DelegatedRole({
        name: 'role',
        keyIDs: ['1'],
        threshold: 1,
        terminating: false,
        paths: [pattern],
      })
      return [pattern, ...paths.filter(path => role.isDelegatedPath(path))]
    })
  const expected = delegated(original.default)
  assert.ok(expected.flat().length > patterns.length)
  assert.deepEqual(delegated(bundled.default), expected)
})

test('in a bundle, tools for agents are listed, and check their arguments and results', async () => {
  const folder = tempDir()
  await bundle({ mcp: join(import.meta.dirname, '../../../lib/hub/mcp/mcp-endpoint.ts') }, folder)
  const { withMcp }: typeof import('../../../lib/hub/mcp/mcp-endpoint.ts') = await import(join(folder, 'mcp.mjs'))
  const user = { status: { userInfo: { username: 'jane', groups: [] } } }
  const access = { status: { allowed: true } }
  const handle = withMcp({
    api: async ({ url }) => Response.json(url.includes('selfsubjectaccessreviews') ? access : user, { status: 201 }),
    ...{ clock: manualClock(), random: systemRandom, version: '1.2.3', allowsWrites: false, allowsDecisions: false },
    onError: error => assert.fail(String(error)),
  })
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL('http://hub.test/mcp'), {
    requestInit: { headers: { authorization: 'Bearer a' } },
    fetch: async (url, init) => handle(new Request(url, init as RequestInit)),
  })
  await client.connect(transport)
  assert.ok((await client.listTools()).tools.length > 5)
  const explain = (verb: unknown) => client.callTool({ name: 'explain_access', arguments: { verb, kind: 'ks' } })
  const { isError, structuredContent } = await explain('get')
  assert.deepEqual([isError, structuredContent], [undefined, { user: 'jane', groups: [], allowed: true, reason: '' }])
  assert.equal((await explain(1)).isError, true)
})
