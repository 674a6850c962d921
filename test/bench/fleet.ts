/** How long `keelson fleet` takes over many units and clusters, as a process of its own beside a hub. */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import type { FleetSummary } from '../../lib/foundations/fleet/fleet-summary.ts'
import { ending } from '../bed/command.ts'
import { program } from '../bed/keelson-program.ts'
import { kubectl } from '../bed/kubectl.ts'
import { startServedHub } from '../hub/served-hub.ts'
import { type FilledHub, startApiOnAws } from './fleet/api-on-aws.ts'
import { fillFleet } from './fleet/objects.ts'
import { table } from './table.ts'

export const description = 'keelson fleet and other questions over 20,000 units on 1,000 Clusters'

const usage = `npm run bench -- fleet [--units 20000] [--clusters 1000] [--rounds 5] [--on embedded]

  --on   aws: the functions api and apiserver in the AWS emulator, in place of an embedded hub`

const places: Readonly<Record<string, () => Promise<FilledHub>>> = {
  embedded: async () => {
    const { hub, kubeconfig, ...served } = await startServedHub()
    return { hub, kubeconfig: async () => kubeconfig, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() }
  },
  aws: startApiOnAws,
}

export async function run(args: readonly string[]): Promise<void> {
  const options = { units: '20000', clusters: '1000', rounds: '5' }
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ units: { type: 'string', default: options.units }, clusters: { type: 'string', default: options.clusters } },
      ...{
        rounds: { type: 'string', default: options.rounds },
        on: { type: 'string', default: 'embedded' },
        help: { type: 'boolean', default: false },
      },
    },
  })
  if (values.help) return console.log(usage)
  const [units, clusters, rounds] = [values.units, values.clusters, values.rounds].map(Number) as [
    number,
    number,
    number,
  ]
  const place = places[values.on]
  if (!place) return console.log(usage)
  await using served = await place()
  await fillFleet(served.hub, units, clusters)
  const kubeconfig = await served.kubeconfig()
  console.log(
    `\nthe first report of a process, which reads the whole fleet: ${await firstReport(served, kubeconfig)} ms`,
  )
  if (served.storeFleet && served.restart) {
    const begun = performance.now()
    await served.storeFleet()
    console.log(`storing what it knows: ${Math.round(performance.now() - begun)} ms`)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await served.restart()
      times.push(await firstReport(served, kubeconfig))
    }
    console.log(`the first report of a new process, which begins with what was stored: ${times.join(', ')} ms`)
    console.log(`\n${await served.cost?.()}\n`)
  }
  const commands = [
    ['--version'],
    ['fleet', '-A'],
    ['fleet', '-A', '-o', 'json'],
    ['clusters', '-A'],
    ['versions', '-A'],
    ['drift', '-A'],
  ]
  const rows: (readonly [string, number, number])[] = []
  const measure = async (name: string, ask: () => Promise<string>, isSummary = false): Promise<void> => {
    const times: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const begun = performance.now()
      const answer = await ask()
      if (round > 0) times.push(performance.now() - begun)
      if (isSummary) requireAnswer(JSON.parse(answer), units, clusters)
    }
    times.sort((a, b) => a - b)
    rows.push([name, Math.round(times[Math.floor(times.length / 2)]!), Math.round(times.at(-1)!)])
  }
  for (const command of commands) {
    const access = command.length > 1 ? ['--kubeconfig', kubeconfig] : []
    const ask = async () => {
      const { stdout, stderr } = await ending(process.execPath, [program, ...command, ...access])
      assert.equal(stderr, '')
      return stdout
    }
    await measure(`keelson ${command.join(' ')}`, ask, command.includes('json'))
  }
  // Without our command, and without a fleet: what of the time is the hub's, and what is that of whatever is in front of it.
  for (const path of ['/version', '/fleet/summary'])
    await measure(`kubectl get --raw ${path}`, () => kubectl(kubeconfig, ['get', '--raw', path]), path !== '/version')
  console.log(table(['command', 'ms, median', 'worst'], rows))
}

/** Milliseconds until a process of the hub has read all objects. A command gives up after a while, and the next one gets what is then there. */
const firstReport = async ({ said }: FilledHub, kubeconfig: string): Promise<number> => {
  const begun = performance.now()
  for (;;) {
    const { exitCode, stderr } = await ending(process.execPath, [program, 'fleet', '-A', '--kubeconfig', kubeconfig])
    if (exitCode !== 2) return Math.round(performance.now() - begun)
    if (!stderr.includes('deadline exceeded') || performance.now() - begun > patienceMs)
      throw new Error(`${stderr}\n${await said?.()}`)
  }
}

const patienceMs = 10 * 60_000

/** One cluster is dead, with its units; one unit in a thousand has a build that fails. */
const requireAnswer = (summary: FleetSummary, units: number, clusters: number): void => {
  assert.equal(summary.units.total, units)
  assert.equal(summary.clusters.total, clusters)
  assert.equal(summary.causes[0]?.object, 'Cluster/apps/c0')
  assert.ok(summary.causes.some(({ reason }) => reason === 'BuildFailed'))
}
