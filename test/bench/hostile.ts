/** What another tenant notices of one that tries to keep the hub busy. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type ApiClient, apiClient } from '../attack/api-client.ts'
import { type AttackWorld, startAttackWorld, victimSource } from '../attack/world.ts'
import { ownerOf } from '../bed/fleet-objects.ts'
import type { HostileAccess, Tried } from './hostile/tenant.ts'
import { forgetPeakOf, residentOf } from './process-usage.ts'
import { quantile } from './quantile.ts'
import { table } from './table.ts'

export const description = 'pushes of one tenant, and /readyz, while another attacks the API'

const usage = `npm run bench -- hostile [--seconds 600] [--only TEXT] [--quiet]

  --seconds  how long the attack lasts
  --only     attempts whose titles have this in them
  --quiet    no attack: the same figures of a hub at peace`

/** A push that is not applied by then is counted as this long. */
const patienceMs = 120_000

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '600' },
      only: { type: 'string', default: '' },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  await using world = await startAttackWorld()
  const { hub } = world
  const access = await accessOf(world)
  const victim = apiClient({ server: access.server, ca: Buffer.from(access.ca), token: access.victimToken })
  await pushed(world, victim, 0)
  forgetPeakOf(hub.pid!)
  const pid = hub.pid
  const tried: Ended[] = []
  const hostile = values.quiet
    ? undefined
    : new Worker(new URL('hostile/tenant.ts', import.meta.url), {
        workerData: { ...access, only: values.only } satisfies HostileAccess,
      })
  hostile?.on('message', (outcome: Tried) => tried.push({ ...outcome, ended: Date.now() }))
  const failed = hostile && once(hostile, 'error').then(([error]) => Promise.reject(error))
  failed?.catch(() => {})

  const started = Date.now()
  const until = performance.now() + Number(values.seconds) * 1000
  const pushes: number[] = []
  const slowPushes: Slow[] = []
  const slowProbes: Slow[] = []
  const most: Slow = { what: 'memory, MB', value: 0, since: 0, until: 0 }
  const probes: number[] = []
  const pushing = (async () => {
    for (let round = 1; performance.now() < until; round++) {
      const since = Date.now()
      const value = await pushed(world, victim, round)
      pushes.push(value)
      slowPushes.push({ what: 'push, ms', value: Math.round(value), since, until: Date.now() })
      await sleep(500)
    }
  })()
  const probing = (async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const since = Date.now()
      const { status } = await victim.request('GET', '/readyz').catch(() => ({ status: 0 }))
      const value = status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY
      probes.push(value)
      slowProbes.push({ what: '/readyz, ms', value: Math.round(value), since, until: Date.now() })
      const { now } = residentOf(pid!)
      if (now > most.value) Object.assign(most, { value: now, since: Date.now(), until: Date.now() })
      await sleep(100)
    }
  })()
  await Promise.race([Promise.all([pushing, probing]), ...(failed ? [failed] : [])])
  await hostile?.terminate()

  const breaches = tried.filter(({ breach }) => breach !== undefined)
  for (const { title, breach } of breaches.slice(0, 20)) console.log(`✖ ${title}\n  ${breach}`)
  for (const { what, value, since, until } of [most, ...slowest(slowPushes), ...slowest(slowProbes)]) {
    const during = tried.filter(({ begun, ended }) => begun < until && ended > since).map(({ title }) => title)
    const after = Math.round((since - started) / 1000)
    console.log(`${what} ${value} after ${after} s, during: ${during.join('; ') || 'what has not ended'}`)
  }
  const rows = [
    ['attempts of the hostile tenant', tried.length],
    ['of them not held', breaches.length],
    ['pushes applied', pushes.filter(ms => ms < patienceMs).length],
    ['push to applied, p50 ms', quantile(pushes, 0.5)],
    ['push to applied, p99 ms', quantile(pushes, 0.99)],
    ['push to applied, most ms', quantile(pushes, 1)],
    ['/readyz asked', probes.length],
    ['/readyz, p99 ms', quantile(probes, 0.99)],
    ['/readyz, most ms', quantile(probes, 1)],
    ['memory of the hub, most MB', hub.pid === pid ? residentOf(pid!).peak : 'the process ended'],
  ] as const
  console.log(table(['measure', 'value'], rows))
  assert.equal(hub.pid, pid, "the hub's process has ended")
  assert.ok(values.quiet || tried.length > 0, 'no attempt came to its end: nothing was measured')
  assert.ok(
    pushes.some(ms => ms < patienceMs),
    'no push was applied: nothing was measured',
  )
  assert.ok(probes.length > 0, '/readyz was never asked')
}

type Ended = Tried & { readonly ended: number }

/** A moment worth an explanation. */
interface Slow {
  readonly what: string
  readonly value: number
  readonly since: number
  readonly until: number
}

const slowest = (moments: readonly Slow[]): readonly Slow[] => moments.toSorted((a, b) => b.value - a.value).slice(0, 5)

/** Pushes a change, tells of it as a webhook does, and waits until it is applied to the hub; in milliseconds. */
const pushed = async ({ victimRepo }: AttackWorld, victim: ApiClient, round: number): Promise<number> => {
  const text = `round-${round}-${Date.now()}`
  await victimRepo.push({
    'app/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: pushed, namespace: victim}\ndata: {text: ${text}}\n`,
  })
  const since = performance.now()
  const passed = () => performance.now() - since
  let isTold = false
  while (passed() < patienceMs) {
    if (!isTold) {
      const annotations = { 'reconcile.fluxcd.io/requestedAt': text }
      const { status } = await victim.patch(victimSource, { metadata: { annotations } }).catch(() => ({ status: 0 }))
      isTold = status === 200
    }
    const found = await victim.request('GET', '/api/v1/namespaces/victim/configmaps/pushed').catch(() => undefined)
    if ((found?.body as { data?: { text?: string } } | undefined)?.data?.text === text) return passed()
    await sleep(20)
  }
  return patienceMs
}

const accessOf = async ({
  hub,
}: AttackWorld): Promise<Omit<HostileAccess, 'only'> & { readonly victimToken: string }> => {
  await hub.apply(victimUnit)
  const token = async (account: string, namespace: string) =>
    (await hub.kubectl('create', 'token', account, '-n', namespace, '--duration=24h')).trim()
  const config = JSON.parse(await hub.kubectl('config', 'view', '--raw', '-o', 'json')) as {
    readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }]
    readonly users: readonly [{ readonly user: { readonly token: string } }]
  }
  return {
    server: hub.server,
    pid: hub.pid!,
    ca: Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString(),
    adminToken: config.users[0].user.token,
    malloryToken: await token('attacker', 'mallory'),
    victimToken: await token('default', 'victim'),
  }
}

const victimUnit = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: victim}
---
${ownerOf('victim', 'default')}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: victim}
spec: {interval: 1h, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}}
`
