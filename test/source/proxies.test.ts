import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { environmentProxies } from '../../lib/platform/http/environment-proxies.ts'
import { withHttp } from '../../lib/signals/notify/http.ts'
import { forgeClient } from '../../lib/sources/forge/forge-client.ts'
import { gitClient } from '../../lib/sources/git/git-client.ts'
import { ending } from '../bed/command.ts'
import { type ForwardProxy, httpProxy, type Routes, socksProxy } from '../bed/forward-proxy.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { jsonServer } from '../bed/json-server.ts'
import { program } from '../bed/keelson-program.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { wires } from '../bed/wires.ts'
import { shown } from '../unit/reconcile/world.ts'
import { filesLayer, group, openRegistry } from './oci/oci-world.ts'
import { openSourceWorld } from './source-world.ts'

// The servers have names that only the proxies know: what arrives there went through them.

const image = { layers: [filesLayer({ 'a.yaml': 'a: 1' })] }
const environmentOf = ({ url }: ForwardProxy) => ({ http_proxy: url, HTTPS_PROXY: url, no_proxy: 'direct.test' })
const portOf = (address: string): number => Number(new URL(address).port)
const serves = async (content: string) => {
  const server = createServer((_, response) => response.end(content))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return (server.address() as AddressInfo).port
}

const openWorld = async (proxy: ForwardProxy) => {
  const world = await openSourceWorld({ connections: wires({ proxyFor: environmentProxies(environmentOf(proxy)) }) })
  return {
    applies: async (kind: string, name: string, spec: object): Promise<string | undefined> => {
      const ref = { group, kind, namespace: 'default', name }
      const metadata = { name, namespace: 'default' }
      const object = { apiVersion: `${group}/v1`, kind, metadata, spec: { interval: '10m', ...spec } }
      await world.hub.patch(ref, { type: 'apply', object }, { fieldManager: 'author', force: true })
      await world.settle()
      return shown(await world.hub.get<KubernetesObject>(ref)).find(line => line.startsWith('Ready='))
    },
  }
}

for (const [kind, open] of Object.entries({ HTTP: httpProxy, SOCKS: (routes: Routes) => socksProxy(routes) })) {
  test(`OC-031: sources are fetched through the ${kind} proxy of the environment, but for those that it leaves out`, async () => {
    const repo = await gitRepo({ 'a.yaml': '1' })
    const registry = await openRegistry({ tls: true })
    await registry.push(image, 'app', 'latest')
    const index = 'apiVersion: v1\nentries: {app: [{name: app, version: 1.0.0, apiVersion: v2, urls: [app.tgz]}]}\n'
    const routes = {
      'git.test': portOf(repo.url),
      'oci.test': portOf(`https://${registry.server.host}`),
      'charts.test': await serves(index),
    }
    const proxy = endWithTest(await open(routes))
    const { applies } = await openWorld(proxy)
    const git = { url: `http://git.test${new URL(repo.url).pathname}`, ref: { branch: 'main' } }
    assert.match(String(await applies('GitRepository', 'git', git)), /^Ready=True/)
    assert.match(
      String(await applies('OCIRepository', 'oci', { url: 'oci://oci.test/app', insecure: true })),
      /^Ready=True/,
    )
    assert.match(String(await applies('HelmRepository', 'charts', { url: 'http://charts.test' })), /^Ready=True/)
    const hosts = new Set(proxy.seen.map(line => /[a-z]+\.test(:443)?/.exec(line)?.[0]))
    assert.deepEqual([...hosts].sort(), ['charts.test', 'git.test', 'oci.test:443'])
    const left = await applies('HelmRepository', 'left', { url: 'http://charts.direct.test' })
    assert.match(String(left), /lookup charts\.direct\.test: no such host/)
  })
}

test('OC-031: the proxy of the spec goes before that of the environment', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const [own, common] = [endWithTest(await socksProxy()), endWithTest(await socksProxy())]
  const client = gitClient(wires({ proxyFor: () => new URL(common.url) }))
  const url = new URL(repo.url)
  const session = client.open({
    url,
    credentials: { tls: {}, proxy: new URL(own.url) },
    signal: AbortSignal.timeout(9000),
  })
  await session.resolve({ branch: 'main' })
  await session.close()
  assert.equal(own.seen.length > 0 && common.seen.length === 0, true)
})

test('requests to forges and events go through the proxy of the environment', async () => {
  const server = await jsonServer(() => ({ json: [{ name: 'main', commit: { sha: 'abc' } }] }))
  const proxy = endWithTest(await httpProxy({ 'forge.test': portOf(server.url), 'hook.test': portOf(server.url) }))
  const ways = wires({ proxyFor: environmentProxies(environmentOf(proxy)) })
  const forges = forgeClient({ now: () => 0 }, ways)
  const { signal } = new AbortController()
  const visit = await forges.open({ provider: 'Gitea', url: new URL('http://forge.test/team/app'), signal })
  const [branch] = await Array.fromAsync(visit.branches())
  assert.equal(branch?.name, 'main')
  await withHttp(ways, { connection: {}, timeoutMs: 5000 } as never, http =>
    http({ url: 'http://hook.test/x', json: {} }),
  )
  assert.deepEqual(
    [...new Set(proxy.seen.map(line => line.split(' ')[1]!.slice(0, 16)))],
    ['http://forge.tes', 'http://hook.test'],
  )
  await visit.close()
})

test('keelson reads the environment that it is started in', async () => {
  const registry = await openRegistry()
  await registry.push(image, 'app', 'latest')
  const folder = endWithTest(disposableDir()).path
  const proxy = endWithTest(await httpProxy({ 'oci.test': portOf(registry.server.directOrigin) }))
  const command = ['pull', 'artifact', 'oci://oci.test/app:latest', '--output', folder, '--insecure-registry']
  const env = { PATH: process.env.PATH, HOME: folder, ...environmentOf(proxy) }
  const { exitCode, stderr } = await ending(process.execPath, [program, ...command], { cwd: folder, env })
  assert.equal(exitCode, 0, stderr)
  assert.ok(proxy.seen.length > 0)
})
