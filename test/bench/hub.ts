import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent } from 'undici'
import { parse } from 'yaml'
import { startCluster } from '../bed/cluster.ts'
import { startHub } from '../bed/hub.ts'
import { corpusFile } from '../conformance/corpus.ts'
import { cpuSecondsOf, forgetPeakOf, residentOf } from './process-usage.ts'
import { table } from './table.ts'

export const description =
  'the hub as an API server beside kube-apiserver with etcd: --objects 5000, --watchers 200, --only hub|kubernetes'

const atOnce = 50
const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const collection = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/bench/kustomizations'

/** Suspended, so that nobody reconciles them: the bench is about the API. */
const kustomization = (index: number) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: name(index), labels: { team: `t${index % 100}` }, annotations: { note: 'x'.repeat(200) } },
  spec: {
    interval: '10m',
    prune: true,
    suspend: true,
    path: `./apps/${index}`,
    sourceRef: { kind: 'GitRepository', name: 'fleet' },
    postBuild: { substitute: { cluster: `c${index}`, region: 'eu-central-1' } },
  },
})
const name = (index: number) => `app-${String(index).padStart(6, '0')}`

interface Server {
  readonly title: string
  readonly url: string
  readonly pid: number
  readonly token: string
  readonly ca: string
}

/** Times one API server under the same load, in the same order. */
const measure = async ({ title, url, pid, token, ca }: Server, objects: number, watchers: number) => {
  const dispatcher = new Agent({ connect: { ca, timeout: 60_000 }, connections: 100, pipelining: 1 })
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
    accept = 'application/json',
  ) => {
    const response = await dispatcher.request({
      origin: url,
      method: method as 'GET',
      path,
      headers: { ...headers, accept, ...(body && { 'content-type': type }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.statusCode < 300) return response.body
    throw new Error(`${title}: ${method} ${path}: ${response.statusCode} ${(await response.body.text()).slice(0, 200)}`)
  }
  const send = async (...request: Parameters<typeof ask>) => (await ask(...request)).text()
  /** Takes what is too much to keep; fails when it does not end as a list does. */
  const take = async (path: string, accept?: string) => {
    let end = ''
    for await (const part of await ask('GET', path, undefined, undefined, accept)) end = (end + String(part)).slice(-4)
    if (!/\}\s*$/.test(end)) throw new Error(`${title}: GET ${path} broke off`)
  }
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  const rows: (string | number)[][] = []
  let peak = 0
  forgetPeakOf(pid)
  const row = (what: string, per: string, times: readonly number[], seconds: number, cpu: number) => {
    console.error(`${title}: ${what}: done`)
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) =>
      sorted.length > 0 ? rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!) : ''
    rows.push([
      title,
      what,
      times.length > 0 ? `${rounded(times.length / seconds)} ${per}` : `${rounded(seconds)} s`,
      at(0.5),
      at(0.99),
      rounded(cpu),
      residentOf(pid).peak,
    ])
    peak = Math.max(peak, residentOf(pid).peak)
    forgetPeakOf(pid)
  }
  const timed = async (
    what: string,
    per: string,
    count: number,
    width: number,
    work: (index: number) => Promise<unknown>,
  ) => {
    const times: number[] = []
    const [started, cpu] = [performance.now(), cpuSecondsOf(pid)]
    let next = 0
    await Promise.all(
      Array.from({ length: width }, async () => {
        while (next < count) {
          const index = next++
          const begun = performance.now()
          await work(index)
          times.push(performance.now() - begun)
        }
      }),
    )
    row(what, per, times, (performance.now() - started) / 1000, cpuSecondsOf(pid) - cpu)
  }

  const merge = 'application/merge-patch+json'
  /** A hub reconciles what is new: each object gets a finalizer, and is told to be suspended. */
  const untilAtRest = async (): Promise<void> => {
    const [started, begun] = [performance.now(), cpuSecondsOf(pid)]
    for (let quiet = 0, before = begun; quiet < 3; ) {
      await sleep(1000)
      const now = cpuSecondsOf(pid)
      quiet = now - before < 0.1 ? quiet + 1 : 0
      before = now
    }
    row('until at rest', '', [], (performance.now() - started) / 1000, cpuSecondsOf(pid) - begun)
  }
  await timed('create', 'objects/s', objects, atOnce, index => send('POST', collection, kustomization(index)))
  await untilAtRest()
  await timed('get', 'objects/s', Math.min(objects, 5000), atOnce, index => send('GET', `${collection}/${name(index)}`))
  await timed('patch status', 'objects/s', Math.min(objects, 5000), atOnce, index =>
    send('PATCH', `${collection}/${name(index)}/status`, { status: { observedGeneration: 1 } }, merge),
  )
  await timed('server-side apply', 'objects/s', Math.min(objects, 2000), atOnce, index =>
    send(
      'PATCH',
      `${collection}/${name(index)}?fieldManager=bench&force=true`,
      kustomization(index),
      'application/apply-patch+yaml',
    ),
  )
  await timed('list all', 'lists/s', 5, 1, () => take(collection))
  await timed('list all, 5 clients at once', 'lists/s', 10, 5, () => take(collection))
  await timed('list all as a table', 'lists/s', 3, 1, () => take(collection, asTable))
  await timed('list pages of 500', 'lists/s', 3, 1, async () => {
    let next = ''
    do {
      const page = await send('GET', `${collection}?limit=500${next && `&continue=${encodeURIComponent(next)}`}`)
      next = (JSON.parse(page) as { metadata: { continue?: string } }).metadata.continue ?? ''
    } while (next)
  })
  await timed('list by label (1 %)', 'lists/s', 20, 1, () => send('GET', `${collection}?labelSelector=team%3Dt7`))

  // Each watcher hears of each change: the times are from the write's begin to the event at a watcher.
  const changes = 50
  const watching = new AbortController()
  const begun = new Map<string, number>()
  const times: number[] = []
  const { resourceVersion } = (
    JSON.parse(await send('GET', `${collection}?limit=1`)) as { metadata: { resourceVersion: string } }
  ).metadata
  const bodies: Readable[] = []
  while (bodies.length < watchers) {
    const open = async () => {
      const { body } = await new Agent({ connect: { ca, timeout: 60_000 } }).request({
        origin: url,
        method: 'GET',
        path: `${collection}?watch=1&resourceVersion=${resourceVersion}`,
        headers,
        signal: watching.signal,
      })
      return body
    }
    bodies.push(...(await Promise.all(Array.from({ length: Math.min(20, watchers - bodies.length) }, open))))
  }
  const reading = bodies.map(async body => {
    let rest = ''
    try {
      for await (const chunk of body.setEncoding('utf8')) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          const mark = /"mark":"(\d+)"/.exec(line)?.[1]
          if (mark) times.push(performance.now() - begun.get(mark)!)
        }
      }
    } catch (error) {
      if (!watching.signal.aborted) throw error
    }
  })
  await sleep(500)
  const [started, cpu] = [performance.now(), cpuSecondsOf(pid)]
  for (let index = 0; index < changes; index++) {
    begun.set(String(index), performance.now())
    await send('PATCH', `${collection}/${name(index)}`, { metadata: { annotations: { mark: String(index) } } }, merge)
  }
  const deadline = Date.now() + 60_000
  while (times.length < changes * watchers && Date.now() < deadline) await sleep(20)
  if (times.length < changes * watchers)
    throw new Error(`${title}: ${times.length} of ${changes * watchers} events arrived`)
  row(
    `${changes} changes to ${watchers} watchers`,
    'events/s',
    times,
    (performance.now() - started) / 1000,
    cpuSecondsOf(pid) - cpu,
  )
  watching.abort()
  await Promise.all(reading)
  await timed('delete', 'objects/s', Math.min(objects, 2000), atOnce, index =>
    send('DELETE', `${collection}/${name(index)}`),
  )
  await dispatcher.destroy()
  return { rows, peak }
}

const rounded = (value: number): number => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))

const fluxDefinitions = (): string => {
  const directory = corpusFile('crds')
  return readdirSync(directory)
    .map(file => readFileSync(join(directory, file), 'utf8'))
    .join('\n---\n')
}

const accessOf = (kubeconfig: string) => {
  const config = parse(readFileSync(kubeconfig, 'utf8'))
  const { cluster } = config.clusters[0]
  return {
    url: cluster.server as string,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(),
    token: config.users[0].user.token as string,
  }
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      objects: { type: 'string', default: '5000' },
      watchers: { type: 'string', default: '200' },
      only: { type: 'string' },
    },
  })
  const [objects, watchers] = [Number(values.objects), Number(values.watchers)]
  const rows: (string | number)[][] = []
  const peaks: string[] = []
  if (values.only !== 'kubernetes') {
    const hub = await startHub()
    const { rows: ours, peak } = await measure(
      { title: 'hub', pid: hub.pid!, ...accessOf(hub.kubeconfig) },
      objects,
      watchers,
    )
    rows.push(...ours)
    peaks.push(`hub: ${peak} MB at its peak`)
    await hub[Symbol.asyncDispose]()
  }
  if (values.only !== 'hub') {
    const cluster = await startCluster({ nodes: 0 })
    await cluster.apply(fluxDefinitions())
    await cluster.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=5m')
    await sleep(2000)
    const { rows: theirs, peak } = await measure(
      { title: 'kube-apiserver + etcd', pid: cluster.pid!, ...accessOf(cluster.kubeconfig) },
      objects,
      watchers,
    )
    rows.push(...theirs)
    peaks.push(`kube-apiserver, etcd and controllers in one process: ${peak} MB at their peak`)
    await cluster[Symbol.asyncDispose]()
  }
  console.log(`\n${objects} Kustomizations of 1 kB, ${atOnce} requests at a time; times in ms\n`)
  console.log(table(['server', 'work', 'rate', 'p50', 'p99', 'CPU s', 'peak MB'], rows))
  console.log(`\n${peaks.join('\n')}`)
}
