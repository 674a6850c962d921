import { chartFunctions } from '../../lib/engines/helm/functions.ts'
import { HelmError } from '../../lib/engines/helm/helm-error.ts'
import { readValues } from '../../lib/engines/helm/read-yaml.ts'
import { renderChart } from '../../lib/engines/helm/render-chart.ts'
import { validateValues } from '../../lib/engines/helm/schema/validate-values.ts'
import { templateOutput } from '../../lib/engines/helm/template-output.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import { loadChart } from '../../lib/sources/helm/chart.ts'
import { InvalidChart } from '../../lib/sources/helm/invalid-chart.ts'
import type { HelmAnswer, HelmOracle } from '../bed/helm-oracle.ts'
import type { GeneratedChart } from './charts.ts'

export interface HelmTally {
  rendered: number
  refused: number
}

const functions = chartFunctions({ now: () => 0, bytes: count => new Uint8Array(count), newKey })

/** What differs between Helm's answer and ours: undefined when both printed the same, or refused with the same message. */
export const differenceFromHelm = async (
  oracle: HelmOracle,
  chart: GeneratedChart,
  tally?: HelmTally,
): Promise<string | undefined> => {
  const ours = await answerOf(chart)
  if (ours.error && LIMIT.test(ours.error)) return undefined
  const theirs = await oracle.ask(chart)
  if (tally) {
    if (theirs.error === undefined) tally.rendered++
    else tally.refused++
  }
  const [go, own] = [shown(theirs), shown(ours)]
  return go === own ? undefined : firstDifference(go, own)
}

/** What ours refuses to do, where Helm goes on. */
const LIMIT = /, more than \d+$|exceeded \d+ steps|made more than|nested too deeply|nested reference name/

const answerOf = async ({ files, values }: GeneratedChart): Promise<HelmAnswer> => {
  try {
    const chart = await loadChart(
      Object.keys(files)
        .sort()
        .map(name => ({ name, data: Buffer.from(files[name]!) })),
    )
    const rendered = renderChart(chart, readValues(Buffer.from(values)), {
      functions,
      release: { name: 'rel', namespace: 'apps', revision: 1, isUpgrade: false },
      validate: validateValues,
    })
    return { output: templateOutput(rendered), notes: rendered.notes }
  } catch (error) {
    if (error instanceof HelmError || error instanceof InvalidChart) return { error: error.message.trim() }
    return { error: `neither HelmError nor InvalidChart: ${(error as Error).stack}` }
  }
}

/** Addresses differ from run to run, and in which order Helm comes to subcharts; a value that a range met is an interface to our messages. */
const shown = ({ output, notes = '', error }: HelmAnswer): string =>
  error === undefined
    ? `${output}\nNOTES ${notes}`.toWellFormed()
    : `error: ${error}`
        .replace(/type mismatch on .*/s, 'type mismatch')
        .replace(/type mismatch on .*/s, 'type mismatch')
        .replace(/0xc[0-9a-f]{6,}/g, '0xADDRESS')
        .replace(/(can't evaluate field \w+ in type) [\w .]+$/gm, '$1 interface {}')

/** The first line that differs, from a little before the place. */
const firstDifference = (go: string, own: string): string => {
  let at = 0
  while (at < go.length && go[at] === own[at]) at++
  const line = go.slice(0, at).split('\n').length
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 100))
  return `line ${line}\n  helm: ${around(go)}\n  ours: ${around(own)}`
}

/** Takes files and lines away as long as the difference stays. */
export const shrunkChart = async (oracle: HelmOracle, chart: GeneratedChart): Promise<GeneratedChart> => {
  let smallest = chart
  const differs = async (candidate: GeneratedChart) => (await differenceFromHelm(oracle, candidate)) !== undefined
  const attempt = async (candidate: GeneratedChart): Promise<boolean> => {
    if (!(await differs(candidate))) return false
    smallest = candidate
    return true
  }
  for (const name of Object.keys(chart.files)) {
    const { [name]: _, ...files } = smallest.files
    await attempt({ ...smallest, files })
  }
  await attempt({ ...smallest, values: '' })
  for (const name of Object.keys(smallest.files)) {
    for (let i = 0; i < (smallest.files[name] ?? '').split('\n').length; ) {
      const lines = smallest.files[name]!.split('\n')
      const without = lines.toSpliced(i, 1).join('\n')
      if (!(await attempt({ ...smallest, files: { ...smallest.files, [name]: without } }))) i++
    }
  }
  return smallest
}
