/**
 * client-go's informers beside a hub under churn that is stopped and killed in between: they end up knowing what is there. A
 * slice of it; `KEELSON_CHURN_SECONDS=3600 node --test test/hub/informer.test.ts` is the hour.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { startInformer } from '../bed/informer.ts'
import { endWithTest } from '../bed/teardown.ts'
import { seededRandom } from '../e2e/seeded-random.ts'
import { accessOf } from './answers.ts'

const seconds = Number(process.env.KEELSON_CHURN_SECONDS ?? 8)
const resources = ['/v1/configmaps', '/v1/secrets', 'kustomize.toolkit.fluxcd.io/v1/kustomizations']
const namespace = 'churn'

const pathOf = (resource: string, name = '') => {
  const [group, version, plural] = resource.split('/')
  return `${group ? `/apis/${group}` : '/api'}/${version}/namespaces/${namespace}/${plural}${name && `/${name}`}`
}
const content = (resource: string, mark: number): object => {
  if (resource.endsWith('configmaps')) return { apiVersion: 'v1', kind: 'ConfigMap', data: { mark: String(mark) } }
  if (resource.endsWith('secrets')) return { apiVersion: 'v1', kind: 'Secret', stringData: { mark: String(mark) } }
  const sourceRef = { kind: 'GitRepository', name: 'none' }
  const spec = { interval: '10m', prune: true, suspend: true, path: `./${mark}`, sourceRef }
  return { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', spec }
}

test(`informers know what is there after ${seconds} s of changes, with restarts and kills of the hub`, async () => {
  const server = await hub()
  await server.kubectl('create', 'namespace', namespace)
  const { ca, token } = accessOf(server.kubeconfig)
  const informer = endWithTest(await startInformer(server.kubeconfig, resources))
  const { below, pick } = seededRandom(7)
  const dispatcher = new Agent({ connect: { ca } })
  const send = async (method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const { statusCode, body: answer } = await dispatcher.request({
      origin: server.server,
      path,
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/apply-patch+yaml' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: statusCode, text: await answer.text() }
  }

  let changes = 0
  const ending = Date.now() + seconds * 1000
  const churn = async () => {
    while (Date.now() < ending) {
      const resource = pick(resources)
      const name = `o${below(40)}`
      try {
        if (below(4) === 0) await send('DELETE', pathOf(resource, name))
        else
          await send('PATCH', `${pathOf(resource, name)}?fieldManager=churn&force=true`, {
            ...content(resource, below(1000)),
            metadata: { name },
          })
        changes++
      } catch {
        // The hub is away just now.
        await sleep(100)
      }
    }
  }
  const restarts = async () => {
    while (Date.now() < ending - 2000) {
      await sleep(2000 + below(2000))
      await (below(2) ? server.kill() : server.stop())
      await server.start()
    }
  }
  await Promise.all([churn(), churn(), churn(), churn(), restarts()])
  await dispatcher.destroy()

  const fresh = new Agent({ connect: { ca } })
  const listed = async (resource: string) => {
    const { body } = await fresh.request({
      origin: server.server,
      path: pathOf(resource),
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    })
    const { items } = (await body.json()) as { items: { metadata: Record<string, string> }[] }
    return Object.fromEntries(items.map(({ metadata }) => [`${namespace}/${metadata.name}`, metadata.resourceVersion]))
  }
  const here = (objects: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(objects).filter(([name]) => name.startsWith(`${namespace}/`)))
  // Informers wait longer and longer before they come back: up to half a minute.
  await eventually(
    async () => {
      const { objects } = await informer.believed()
      for (const resource of resources) assert.deepEqual(here(objects[resource]!), await listed(resource))
    },
    { within: 90_000, every: 500 },
  )
  await fresh.destroy()
  const { events } = await informer.believed()
  assert.ok(changes > 50 && events > 50, `${changes} changes, ${events} events`)
})
