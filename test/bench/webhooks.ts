import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { table } from './table.ts'

export const description =
  'signed webhooks: how long from a push to the cluster, and a burst of them, each acted upon once'

const usage = `npm run bench -- webhooks [--pushes 20] [--burst 1000] [--seconds 10]

  --pushes   pushes whose way from the webhook to the cluster is timed, one after another
  --burst    webhooks for as many sources, spread over --seconds`

const token = 'a shared secret'

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pushes: { type: 'string', default: '20' },
      burst: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  await timePushes(Number(values.pushes))
  await burst(Number(values.burst), Number(values.seconds))
}

const secret = `
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default}
stringData: {token: ${token}}
---`

const receiver = (name: string, labels: string): string => `
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: ${name}, namespace: default}
spec:
  type: github
  secretRef: {name: token}
  resources: [{kind: GitRepository, name: '*', matchLabels: ${labels}}]
---`

const repository = (name: string, url: string, branch: string, labels: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: default, labels: ${labels}}
spec: {interval: 1h, url: '${url}', ref: {branch: ${branch}}}
---`

const post = async (address: string, body: object): Promise<number> => {
  const text = JSON.stringify(body)
  const signature = `sha256=${createHmac('sha256', token).update(text).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-hub-signature-256': signature }
  const answer = await fetch(address, { method: 'POST', headers, body: text })
  await answer.text()
  return answer.status
}

const addressOf = (hub: Hub, name: string): Promise<string> =>
  eventually(async () => {
    const found = await hub.get<{ status?: { webhookPath?: string } }>('receiver', name, '-n', 'default')
    assert.ok(found.status?.webhookPath)
    return `${hub.edge}${found.status.webhookPath}`
  })

/** From the webhook of a push to the change in the cluster. */
async function timePushes(count: number): Promise<void> {
  const manifest = (value: number): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: pushed, namespace: default}\ndata: {value: "${value}"}\n`
  await using target = await startCluster({ name: 'target' })
  await using repo = await startGitRepo({ 'app/config.yaml': manifest(0) })
  await using hub = await startHub()
  const kubeconfig = readFileSync(target.kubeconfig, 'utf8').replaceAll('\n', '\n    ')
  await hub.apply(`${secret}
apiVersion: v1
kind: Secret
metadata: {name: target, namespace: default}
stringData:
  value: |
    ${kubeconfig}
---${repository('fleet', repo.url, 'main', '{fleet: one}')}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
---${receiver('github', '{fleet: one}')}`)
  const address = await addressOf(hub, 'github')
  const valueIs = async (value: number): Promise<void> => {
    const found = await target.kubectl('get', 'configmap', 'pushed', '-o', 'jsonpath={.data.value}')
    assert.equal(found, String(value))
  }
  await eventually(() => valueIs(0))

  const watching = valuesOf(target.kubeconfig)
  const latencies: number[] = []
  for (let push = 1; push <= count; push++) {
    const after = await repo.push({ 'app/config.yaml': manifest(push) })
    const start = performance.now()
    const arrived = watching.next(String(push))
    assert.equal(await post(address, { ref: 'refs/heads/main', after, repository: { clone_url: repo.url } }), 200)
    await arrived
    latencies.push(performance.now() - start)
  }
  watching.close()
  const sorted = latencies.toSorted((a, b) => a - b)
  const percentile = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1]!)
  console.log(`\n${count} pushes, from the webhook to the cluster, in ms`)
  console.log(
    table(['p50', 'p90', 'p99', 'worst'], [[percentile(0.5), percentile(0.9), percentile(0.99), percentile(1)]]),
  )
}

/** Sees the ConfigMap change over a watch, as soon as the API server tells. */
const valuesOf = (kubeconfig: string) => {
  const stop = new AbortController()
  const waiting = new Map<string, () => void>()
  void (async () => {
    const { spawn } = await import('node:child_process')
    const { testcluster } = await import('../bed/testcluster.ts')
    const args = [
      'kubectl',
      '--kubeconfig',
      kubeconfig,
      'get',
      'configmap',
      'pushed',
      '-w',
      '-o',
      'jsonpath={.data.value}{"\\n"}',
    ]
    const child = spawn(await testcluster(), args, { stdio: ['ignore', 'pipe', 'ignore'] })
    stop.signal.addEventListener('abort', () => child.kill())
    let rest = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) waiting.get(line)?.()
    }
  })()
  return {
    next: (value: string) => new Promise<void>(resolve => waiting.set(value, resolve)),
    close: () => stop.abort(),
  }
}

const perReceiver = 50

/** As many sources as webhooks, in groups with a Receiver each; each webhook is about one of them. */
async function burst(count: number, seconds: number): Promise<void> {
  await using repo = await startGitRepo({ 'README.md': 'nothing to apply' })
  await using hub = await startHub()
  const groups = Math.ceil(count / perReceiver)
  const branches = Array.from({ length: count }, (_, i) => `b${i}`)
  for (const branch of branches) await repo.git('branch', branch, 'main')
  const groupOf = (i: number): string => `g${Math.floor(i / perReceiver)}`
  await hub.apply(
    [
      secret,
      ...branches.map((branch, i) => repository(branch, repo.url, branch, `{group: ${groupOf(i)}}`)),
      ...Array.from({ length: groups }, (_, i) => receiver(`g${i}`, `{group: g${i}}`)),
    ].join(''),
  )
  await hub.kubectl('wait', 'gitrepositories', '--all', '-n', 'default', '--for=condition=Ready', '--timeout=300s')
  const addresses = await Promise.all(Array.from({ length: groups }, (_, i) => addressOf(hub, `g${i}`)))
  const fetchesBefore = repo.operations().length

  const start = performance.now()
  const answers = await Promise.all(
    branches.map(async (branch, i) => {
      await new Promise(resolve => setTimeout(resolve, (i / count) * seconds * 1000))
      const sent = performance.now()
      const body = { ref: `refs/heads/${branch}`, after: String(i), repository: { clone_url: repo.url } }
      const status = await post(addresses[Math.floor(i / perReceiver)]!, body)
      return { status, ms: performance.now() - sent }
    }),
  )
  const sentIn = (performance.now() - start) / 1000
  interface Repository {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
    readonly status: { readonly lastHandledReconcileAt?: string }
  }
  await eventually(
    async () => {
      const { items } = await hub.get<{ items: readonly Repository[] }>('gitrepositories', '-n', 'default')
      const open = items.filter(
        ({ metadata, status }) =>
          !status.lastHandledReconcileAt ||
          status.lastHandledReconcileAt !== metadata.annotations?.['reconcile.fluxcd.io/requestedAt'],
      )
      assert.equal(open.length, 0)
    },
    { within: 120_000, every: 500 },
  )
  const doneIn = (performance.now() - start) / 1000
  const looks = repo.operations().length - fetchesBefore
  const worst = Math.max(...answers.map(({ ms }) => ms))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  console.log(`\n${count} webhooks for ${count} sources`)
  console.log(
    table(
      ['sent in s', 'all reconciled after s', 'slowest answer ms', 'looks at the repository'],
      [[Number(sentIn.toFixed(1)), Number(doneIn.toFixed(1)), Math.round(worst), looks]],
    ),
  )
  assert.equal(looks, count, 'each webhook causes exactly one look at its source')
}
