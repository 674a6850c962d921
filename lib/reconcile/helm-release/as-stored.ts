import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Chart } from '../../sources/helm/chart.ts'
import { Halt } from '../runtime/halt.ts'
import type { Context } from './context.ts'
import { Draft } from './draft.ts'
import { loadChart } from './load-chart.ts'
import { resolveSource } from './resolve-source.ts'
import { attemptOf, valuesOf } from './unfinished.ts'

/** What a pass is to release if it is what is stored: the source, the values and the rest of the spec may be others by now, or gone. */
export const asStored = (stored: StoredRelease, { status }: Draft) => {
  const attempt = attemptOf(stored)
  const { chartName, chartVersion, configDigest } = attempt
  const { observedPostRenderersDigest = '', observedCommonMetadataDigest = '' } = status
  return {
    attempt,
    values: valuesOf(stored.release.config),
    wanted: {
      ...{ chartName, chartVersion, configDigest },
      postRenderersDigest: observedPostRenderersDigest,
      commonMetadataDigest: observedCommonMetadataDigest,
    },
  }
}

/** The chart of a release, for the inventory: from its source if that still has it, otherwise as Helm has stored it, without subcharts. */
export const storedChart = async (
  { chart: stored }: Release,
  release: HelmRelease,
  context: Context,
): Promise<Chart> => {
  const unseen = new Draft(release, context.clock.now)
  try {
    const { chart } = await loadChart(unseen, await resolveSource(unseen, context), context)
    const { name, version } = chart.metadata
    if (name === stored?.metadata.name && version === stored.metadata.version) return chart
  } catch (error) {
    if (!(error instanceof Halt)) throw error
  }
  const files = (stored?.files ?? []).map(({ name, data }) => ({ name, data: Buffer.from(data, 'base64') }))
  const metadata = { apiVersion: 'v2', name: '', version: '', ...stored?.metadata } as Chart['metadata']
  return { metadata, files, templates: [], dependencies: [] }
}
