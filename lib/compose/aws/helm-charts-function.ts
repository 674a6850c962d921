import type { ChartInflation, Helm } from '../../engines/kustomize/generators/helm.ts'
import type { Limits } from '../../foundations/budget/budget.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { type InvokedFunction, invokeFunction } from './invoke-function.ts'
import { maxPayload, packText, unpackText } from './packed-text.ts'

/** What is asked of the function `helmcharts`. */
export interface HelmChartsRequest {
  /** As `packInflation` makes it. */
  readonly inflation: string
  /** What it may cost. */
  readonly limits: Limits
}

/** A little longer than the function may take, so that Lambda's word on it arrives. */
const timeoutMs = 130_000

/**
 * Renders charts by a function of its own: the engine would make the functions that build too large, and a chart that uses up time and
 * memory takes none of theirs. The promise fails with the engine's words, or with CloudError where the function does not answer.
 */
export const chartsByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
  limits: Limits,
): Helm['template'] => {
  const invoke = invokeFunction(cloud, invoked, { what: 'helmCharts', timeoutMs })
  return async chart => {
    const inflation = packInflation(chart)
    if (inflation.length > maxPayload - reserved)
      throw new Error(
        `chart ${chart.chartName} has ${inflation.length} bytes as it is sent, and a function on AWS takes ${maxPayload - reserved}: ` +
          'make it a HelmRelease, or commit what keelson kustomize --enable-helm prints',
      )
    return unpackText(await invoke({ inflation, limits } satisfies HelmChartsRequest))
  }
}

/** Of the largest request, for what is in it beside the chart. */
const reserved = 4096

/** Bytes are characters of the same number in it, which compress better than base64. */
const packInflation = ({ files, values, ...rest }: ChartInflation): string =>
  packText(
    JSON.stringify({
      ...rest,
      files: [...files].map(([path, content]) => [path, charactersOf(content)]),
      values: values.map(charactersOf),
    }),
  )

/** The other end. */
export const unpackInflation = (packed: string): ChartInflation => {
  const { files, values, ...rest } = JSON.parse(unpackText(packed)) as Omit<ChartInflation, 'files' | 'values'> & {
    readonly files: readonly (readonly [string, string])[]
    readonly values: readonly string[]
  }
  return {
    ...rest,
    files: new Map(files.map(([path, characters]) => [path, Buffer.from(characters, 'latin1')])),
    values: values.map(characters => Buffer.from(characters, 'latin1')),
  }
}

const charactersOf = (content: Uint8Array): string => Buffer.from(content).toString('latin1')
