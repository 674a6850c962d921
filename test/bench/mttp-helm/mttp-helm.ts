/** `npm run bench -- mttp --helm`: HelmReleases by a hub and, beside it in the same run, by Flux's own controllers. */
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { fluxControllers } from '../../bed/flux-controllers.ts'
import { startHub } from '../../bed/hub.ts'
import { memoryDir } from '../../bed/memory-dir.ts'
import { table } from '../table.ts'
import { measure, type Phase, type Result } from './measure.ts'
import { controllers, keelson, type Side } from './sides.ts'

const usage = `npm run bench -- mttp --helm [--n 100,300] [--controllers DIR] [--concurrency 20] [--own-charts] [--rest 75]

  --n            how many HelmReleases of one chart: a ConfigMap and a ServiceAccount each
  --controllers  has the programs source-controller and helm-controller, which are measured too (KEELSON_CONTROLLERS); without, recorded
                 figures are printed
  --concurrency  of the controllers
  --only         keelson or controllers
  --own-charts   each HelmRelease with spec.chart, and so a HelmChart of its own
  --rest         seconds between two looks for drift while unchanged releases are measured, at the largest N: more than a minute, as shorter
                 intervals are no rest to a hub; 0 leaves it out
  --cpu-prof     writes a profile of the hub's process there
  --node-flags   for the hub's process, separated by commas`

/**
 * Of helm-controller 1.6.2 and source-controller 1.9.1 at concurrency 20 on a quiet machine of two cores; recorded once. CPU seconds are of both,
 * over install, upgrade and look.
 */
const recorded: Readonly<
  Record<
    number,
    {
      readonly install: number
      readonly upgrade: number
      readonly look: number
      readonly cpu: number
      readonly peak: number
    }
  >
> = {
  100: { install: 12.3, upgrade: 17, look: 2.7, cpu: 35, peak: 406 },
  300: { install: 24.3, upgrade: 40.6, look: 5.7, cpu: 84, peak: 446 },
}

export const runHelm = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      helm: { type: 'boolean' },
      n: { type: 'string', default: '100,300' },
      controllers: { type: 'string' },
      concurrency: { type: 'string', default: '20' },
      only: { type: 'string' },
      'own-charts': { type: 'boolean', default: false },
      rest: { type: 'string', default: '75' },
      'cpu-prof': { type: 'string' },
      'node-flags': { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const parentDirectory = memoryDir() ?? tmpdir()
  const profile = values['cpu-prof']
  const nodeFlags = [
    ...values['node-flags'].split(',').filter(flag => flag !== ''),
    ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
  ]
  const sides: (() => Promise<Side>)[] = []
  if (values.only !== 'controllers') sides.push(() => keelson({ parentDirectory, nodeFlags }))
  const directory = values.controllers ?? fluxControllers
  if (directory && values.only !== 'keelson')
    sides.push(() => controllers({ directory, concurrency: Number(values.concurrency), parentDirectory }))

  // The first start compiles; what is measured is any later one.
  await (await startHub({ parentDirectory }))[Symbol.asyncDispose]()
  const counts = values.n.split(',').map(Number)
  const results: Result[] = []
  for (const count of counts)
    for (const start of sides) {
      await using side = await start()
      const restInterval = count === Math.max(...counts) ? Number(values.rest) : 0
      const result = await measure(side, { count, ownCharts: values['own-charts'], restInterval })
      results.push(result)
      console.error(JSON.stringify(result))
    }
  report(results)
}

const phases = ['install', 'upgrade', 'look', 'remove'] as const

const report = (results: readonly Result[]): void => {
  console.log(
    '\nSeconds until the first and all had arrived; looks are requested by kubectl annotate, which takes its time\n',
  )
  const arrivals = (side: Result) => phases.flatMap(phase => [side[phase].first, side[phase].all])
  console.log(
    table(
      ['', 'N', ...phases.flatMap(phase => [`${phase}: first`, 'all']), 'peak MB'],
      results.map(result => [result.side, result.count, ...arrivals(result), result.peak]),
    ),
  )
  const costs = (side: Result, of: keyof Phase) => phases.map(phase => side[phase][of])
  console.log("\nCPU seconds of the side's own processes, and of the target's API server\n")
  console.log(
    table(
      ['', 'N', ...phases, ...phases.map(phase => `API: ${phase}`)],
      results.map(result => [result.side, result.count, ...costs(result, 'cpu'), ...costs(result, 'targetCpu')]),
    ),
  )
  const rests = results.flatMap(({ side, count, rest }) =>
    rest ? [[side, count, rest.requests, rest.cpuMs, rest.corrected]] : [],
  )
  if (rests.length > 0) {
    console.log(
      '\nUnchanged releases, looked at for drift on schedule; all that was taken away was there again after so many seconds\n',
    )
    console.log(table(['', 'N', 'requests a look', 'CPU ms a look', 'corrected'], rests))
  }
  console.log('\nHow many times less the hub takes\n')
  console.log(
    table(
      ['N', 'beside', 'install', 'upgrade', 'CPU of install, upgrade and look', 'requests a look', 'peak'],
      results.filter(({ side }) => side === 'keelson').flatMap(ours => ratios(ours, results)),
    ),
  )
}

const cpuOf = ({ install, upgrade, look }: Result): number => install.cpu + upgrade.cpu + look.cpu

const ratios = (ours: Result, results: readonly Result[]): (string | number)[][] => {
  const theirs = results.find(({ side, count }) => side === 'controllers' && count === ours.count)
  const rows: (string | number)[][] = []
  if (theirs)
    rows.push([
      ours.count,
      'controllers here',
      times(theirs.install.all, ours.install.all),
      times(theirs.upgrade.all, ours.upgrade.all),
      times(cpuOf(theirs), cpuOf(ours)),
      theirs.rest && ours.rest ? times(theirs.rest.requests, ours.rest.requests) : '',
      times(theirs.peak, ours.peak),
    ])
  const known = recorded[ours.count]
  if (known)
    rows.push([
      ours.count,
      'controllers as recorded',
      times(known.install, ours.install.all),
      times(known.upgrade, ours.upgrade.all),
      times(known.cpu, cpuOf(ours)),
      '',
      times(known.peak, ours.peak),
    ])
  return rows
}

const times = (theirs: number, ours: number): string => `${(theirs / ours).toFixed(1)} x`
