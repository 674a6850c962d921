import type { HelmOracle } from '../bed/helm-oracle.ts'
import type { Ending } from './chart-harm.ts'
import type { DamagedChart } from './damaged-charts.ts'

/**
 * Whether Helm refuses what we refuse, and takes what we take: what it does otherwise, undefined where it agrees. It is not asked where
 * our limits ended the work, which it has none of. Fails when it doesn't survive the chart.
 */
export const otherVerdict = async (
  oracle: HelmOracle,
  { archive, values, sets }: DamagedChart,
  { refusal }: Ending,
): Promise<string | undefined> => {
  if (refusal !== undefined && DECLARED.test(refusal)) return undefined
  const { error } = await oracle.ask({ archive: base64(archive), rawValues: base64(values), sets })
  if ((error === undefined) === (refusal === undefined)) return undefined
  return `helm: ${error ?? 'renders'}\n  ours: ${refusal ?? 'renders'}`
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** What ours refuses by its limits, and Helm does, or tries to; and archives that are damaged where Helm doesn't look, behind their tar. */
const DECLARED =
  /, more than \d+|exceeded \d+ steps|made more than|nested too deeply|nested reference name|nested deeper than|max expression depth|^gzip: invalid checksum|^unexpected EOF|^flate/
