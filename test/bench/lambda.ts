import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleFunctions } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/functions.ts'
import { stages } from '../../lib/platform/ports/queue.ts'
import type { AwsEmulator } from '../bed/aws/emulator.ts'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { kubectl } from '../bed/kubectl.ts'
import { startDeployedHub } from './deployed-hub.ts'
import { appFiles, fluxObjects } from './mttp-objects.ts'
import { watchReadiness } from './readiness-watch.ts'
import { table } from './table.ts'

export const description =
  'size, start and memory of the Lambda functions, and messages a second through a deployed hub'

const usage = `npm run bench -- lambda [--n 50] [--rounds 5] [--no-flow]

  --n        how many Kustomizations go through the deployed hub, into a real cluster
  --rounds   starts of each function; the median counts
  --no-flow  sizes, starts and memory only`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      n: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '5' },
      flow: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  await starts(Number(values.rounds))
  if (values.flow) await flow(Number(values.n))
}

/** Bundles, and what starting each in a process of its own costs beyond an empty one. */
async function starts(rounds: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-bundles-'))
  try {
    const sizes = await bundleFunctions(functionNames, directory)
    const empty = join(directory, 'empty.mjs')
    writeFileSync(empty, '')
    const baseline = await startOf(empty, rounds)
    const rows = []
    for (const [name, { total, atStart }] of sizes) {
      const { ms, cpuMs, mb } = await startOf(join(directory, name, 'index.mjs'), rounds)
      rows.push([name, kilobytes(total), kilobytes(atStart), Math.round(ms), Math.round(cpuMs), mb, mb - baseline.mb])
    }
    const header = ['function', 'KB', 'KB at start', 'init ms', 'init CPU ms', 'MB', 'MB beyond Node']
    console.log(`\nBundles (minified), and loading them: the median of ${rounds} starts\n`)
    console.log(table(header, rows))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const runtime = join(import.meta.dirname, '../bed/aws/lambda-runtime.cjs')
const measureImport = `
const before = process.cpuUsage(), began = performance.now()
await import(process.argv[1])
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ ms: performance.now() - began, cpuMs: (user + system) / 1000, mb: Math.round(process.memoryUsage.rss() / 2 ** 20) }))
process.exit()`

interface Start {
  readonly ms: number
  readonly cpuMs: number
  readonly mb: number
}

async function startOf(file: string, rounds: number): Promise<Start> {
  const env = { PATH: process.env.PATH, AWS_REGION: 'us-east-1', ...environment }
  const found: Start[] = []
  for (let round = 0; round < rounds; round++) {
    const args = ['--require', runtime, '--input-type=module', '--eval', measureImport, file]
    found.push(JSON.parse(await command(process.execPath, args, { env })))
  }
  const median = (of: (start: Start) => number) => found.map(of).sort((a, b) => a - b)[Math.floor(rounds / 2)]!
  return { ms: median(({ ms }) => ms), cpuMs: median(({ cpuMs }) => cpuMs), mb: median(({ mb }) => mb) }
}

/** Nothing is asked of what these name: a function connects when it is first called. */
const environment = {
  KEELSON_HUB_NAME: 'bench',
  KEELSON_TABLE: 'none',
  KEELSON_BUCKET: 'none',
  KEELSON_KMS_KEY: 'arn:aws:kms:us-east-1:000000000000:key/none',
  ...Object.fromEntries(stages.map(stage => [`KEELSON_QUEUE_${stage.toUpperCase()}`, 'https://none'])),
}

const patienceMs = 300_000

/** One GitRepository and N Kustomizations: all made, then all changed by one push. */
async function flow(count: number): Promise<void> {
  await using hub = await startDeployedHub('bench')
  await using target = await startCluster({ name: 'target' })
  await using repo = await startGitRepo(appFiles('mono', count, '0'))
  const { emulator } = hub
  const access = await hub.kubeconfig()
  await prepare(access, target)
  const readiness = await watchReadiness(access, patienceMs)
  const messages = messagesIn(emulator)
  const timed = async (commit: string, act: () => Promise<unknown>) => {
    const before = messages.seen()
    const start = performance.now()
    await act()
    const acted = performance.now()
    const { firstAt, lastAt } = await readiness.allReady(commit, count)
    const seconds = (lastAt - start) / 1000
    const handled = messages.seen() - before
    const figures = [
      (acted - start) / 1000,
      (firstAt - start) / 1000,
      seconds,
      handled,
      handled / seconds,
      count / seconds,
    ]
    return figures.map(tenths)
  }
  const first = (await repo.git('rev-parse', 'main')).trim()
  const objects = fluxObjects({ shape: 'mono', count, url: repo.url, wait: false })
  const install = await timed(first, () => kubectl(access, ['apply', '-f', '-'], { input: objects }))
  const next = await repo.push(appFiles('mono', count, '1'))
  const update = await timed(next, () =>
    kubectl(access, [
      'annotate',
      '--overwrite',
      '-n',
      'bench',
      'gitrepository/apps',
      `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
    ]),
  )
  messages.stop()
  readiness.close()
  const header = ['', 'kubectl s', 'first s', 'all s', 'messages', 'messages/s', 'Kustomizations/s']
  console.log(
    `\n${count} Kustomizations from one repository to a real cluster, through source, build and apply on the emulator\n`,
  )
  console.log(
    table(header, [
      ['install', ...install],
      ['push', ...update],
    ]),
  )
}

async function prepare(hub: string, target: Cluster): Promise<void> {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: bench}\n'
  for (const file of [hub, target.kubeconfig]) await kubectl(file, ['apply', '-f', '-'], { input: namespace })
  await kubectl(hub, ['-n', 'bench', 'create', 'secret', 'generic', 'target', `--from-file=value=${target.kubeconfig}`])
}

/** How many messages the functions have finished with, by what the emulator says of them; its log keeps the last of it only. */
function messagesIn(emulator: AwsEmulator) {
  let read = ''
  let count = 0
  const look = () => {
    const log = emulator.log()
    const since = read === '' ? 0 : log.lastIndexOf(read) + read.length
    for (const [, messages] of log.slice(since).matchAll(/processed (\d+) SQS messages/g)) count += Number(messages)
    read = log.slice(-500)
  }
  const timer = setInterval(look, 250)
  return {
    seen: () => {
      look()
      return count
    },
    stop: () => clearInterval(timer),
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10
const kilobytes = (bytes: number): number => Math.round(bytes / 1000)
