import { BudgetExceeded } from '../../foundations/budget/budget.ts'
import type { OffThread, OffThreadOptions } from '../../platform/ports/off-thread.ts'
import type { HelmLimits } from '../../sources/helm/helm-limits.ts'
import { type ChartIndex, parseIndex, writeIndex } from '../../sources/helm/index-file.ts'
import { InvalidChart } from '../../sources/helm/invalid-chart.ts'

/** The index of a chart repository, and its JSON, which a HelmRepository stores. */
export interface IndexAsJson {
  readonly index: ChartIndex
  readonly json: string
}

interface IndexPorts {
  readonly limits: HelmLimits
  /** Parses large indexes; if absent, all are parsed on this thread. */
  readonly offThread?: OffThread | undefined
}

/** An index of this many bytes takes some 20 ms to parse; the largest public ones have 20 MB and take two seconds. */
const smallIndex = 128 * 1024

/** Fails with InvalidChart, also when the index exceeds the time or memory of another thread. */
export const readIndex = async (
  content: Uint8Array,
  { limits, offThread }: IndexPorts,
  options: OffThreadOptions,
): Promise<ChartIndex> => {
  const isSmall = content.byteLength <= smallIndex
  const { entries } =
    isSmall || !offThread
      ? parseIndex(content, limits)
      : await parseOffThread(offThread, { content, limits, asJson: false }, options)
  return { entries }
}

/** Like `readIndex`, with the JSON. */
export const readIndexAsJson = async (
  content: Uint8Array,
  { limits, offThread }: IndexPorts,
  options: OffThreadOptions,
): Promise<IndexAsJson> => {
  if (!offThread || content.byteLength <= smallIndex) {
    const { entries, fields } = parseIndex(content, limits)
    return { index: { entries }, json: writeIndex({ fields }) }
  }
  const { entries, json } = await parseOffThread(offThread, { content, limits, asJson: true }, options)
  return { index: { entries }, json }
}

export interface IndexInput {
  readonly content: Uint8Array
  readonly limits: HelmLimits
  readonly asJson: boolean
}

/** The message of an InvalidChart: errors lose their class between threads. */
export type IndexOutcome =
  | { readonly entries: ChartIndex['entries']; readonly json: string }
  | { readonly invalidChart: string }

const parseOffThread = async (thread: OffThread, input: IndexInput, options: OffThreadOptions) => {
  const task = { name: 'index', input }
  const outcome = (await thread.run(task, options).catch(error => {
    throw error instanceof BudgetExceeded ? new InvalidChart(error.message, error) : error
  })) as IndexOutcome
  if ('invalidChart' in outcome) throw new InvalidChart(outcome.invalidChart)
  return outcome
}

/** Parses an index on a thread of its own. */
export const indexTask = ({ content, limits, asJson }: IndexInput): IndexOutcome => {
  try {
    const index = parseIndex(content, limits)
    return { entries: index.entries, json: asJson ? writeIndex(index) : '' }
  } catch (error) {
    if (!(error instanceof InvalidChart)) throw error
    return { invalidChart: error.message }
  }
}
