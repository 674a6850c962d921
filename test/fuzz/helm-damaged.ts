import { Worker } from 'node:worker_threads'
import type { HarmReport } from '../differential/chart-harm-worker.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  'damaged charts and values, generated or of --folder DIR: no harm, and taken or refused as by Helm'

const REPORT_EVERY = 1000
/** A chart that takes longer hangs. */
const PATIENCE_MS = 120_000
const MOST_MEMORY = 3 * 1024 ** 3

/** Charts are damaged on a thread of its own: one that hangs can be told, and ended. */
export const run = async ({ seed, until, trees, folder }: FuzzSettings): Promise<void> => {
  const worker = new Worker(new URL('../differential/chart-harm-worker.ts', import.meta.url), {
    workerData: { seed, folder },
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<string | undefined>()
  let last: HarmReport = { seed, rendered: 0, refused: 0, unanswered: 0 }
  let mostMemory = 0
  const patience = setTimeout(() => end('it hangs'), PATIENCE_MS)
  worker.on('message', (report: HarmReport) => {
    last = report
    patience.refresh()
    mostMemory = Math.max(mostMemory, process.memoryUsage.rss())
    if (report.harm !== undefined) return end(`seed ${report.seed}: ${report.harm}`)
    if (mostMemory > MOST_MEMORY) return end(`this process takes ${mebibytes(mostMemory)}`)
    if (report.seed > seed && report.seed % REPORT_EVERY === 0) console.log(tallyOf(report))
    if (report.seed >= seed + trees || performance.now() > until) end(undefined)
  })
  worker.on('error', error => end(`it ended the thread: ${error.stack}`))
  const harm = await ended
  clearTimeout(patience)
  await worker.terminate()
  console.log(harm === undefined ? `${tallyOf(last)}: none did harm` : `\n${harm}, by seed ${last.seed} at the latest`)
  console.log(`most memory: ${mebibytes(mostMemory)}`)
  if (harm !== undefined) process.exitCode = 1
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

const tallyOf = ({ rendered, refused, unanswered }: HarmReport): string =>
  `${rendered + refused} damaged charts: ${rendered} rendered and ${refused} refused as by Helm, which gave no answer to ${unanswered}`
