/**
 * client-go's informers beside a hub under churn that is stopped and killed in between: they end up knowing what is there. A
 * slice of it; `npm run churn` is the hour.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { startInformer } from '../bed/informer.ts'
import { endWithTest } from '../bed/teardown.ts'
import { residentOf } from '../bench/process-usage.ts'
import { seededRandom } from '../e2e/seeded-random.ts'
import { accessOf } from './answers.ts'

const seconds = Number(process.env.KEELSON_CHURN_SECONDS ?? 8)
/** After each of these the informers must be in sync. */
const roundSeconds = 300
/** The hub lives for so long at least, and for twice as long at most. */
const pause = seconds > roundSeconds ? 20_000 : 2000
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

  const fresh = () => new Agent({ connect: { ca } })
  const listed = async (resource: string) => {
    const dispatcher = fresh()
    const { body } = await dispatcher.request({
      origin: server.server,
      path: pathOf(resource),
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    })
    const { items } = (await body.json()) as { items: { metadata: Record<string, string> }[] }
    await dispatcher.close()
    return Object.fromEntries(items.map(({ metadata }) => [`${namespace}/${metadata.name}`, metadata.resourceVersion]))
  }
  const here = (objects: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(objects).filter(([name]) => name.startsWith(`${namespace}/`)))
  // Informers wait longer and longer before they come back: up to half a minute.
  const inSync = () =>
    eventually(
      async () => {
        const { objects } = await informer.believed()
        for (const resource of resources) assert.deepEqual(here(objects[resource]!), await listed(resource))
      },
      { within: 90_000, every: 500 },
    )

  let [changes, ends] = [0, 0]
  const churn = async (ending: number) => {
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
  const restarts = async (ending: number) => {
    while (Date.now() < ending - pause) {
      await sleep(pause + below(pause))
      await (below(2) ? server.kill() : server.stop())
      ends++
      await server.start()
    }
  }
  // A busy machine may have got little done when the time is up.
  const isEnough = () => changes > 50
  for (let left = seconds; left > 0 || (!isEnough() && left > -10 * seconds); left -= Math.min(seconds, roundSeconds)) {
    const ending = Date.now() + Math.min(left > 0 ? left : seconds, roundSeconds) * 1000
    await Promise.all([churn(ending), churn(ending), churn(ending), churn(ending), restarts(ending)])
    await inSync()
    if (seconds > roundSeconds) {
      const { events } = await informer.believed()
      const { now, peak } = residentOf(server.pid!)
      console.log(
        `${new Date().toISOString()} in sync after ${changes} changes, ${events} events, ${ends} ends of the hub (${now} MB, ${peak} MB at its peak)`,
      )
    }
  }
  await dispatcher.destroy()
  const { events } = await informer.believed()
  assert.ok(isEnough() && events > 50, `${changes} changes, ${events} events`)
})
