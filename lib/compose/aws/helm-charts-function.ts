import type { ChartFiles, ChartInflation, Helm, HelmPull } from '../../engines/kustomize/generators/helm.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { type InvokedFunction, invokeFunction } from './invoke-function.ts'
import { maxPayload, packText, unpackText } from './packed-text.ts'

/** A request to the function `helmcharts`. */
export type HelmChartsRequest =
  | { readonly operation: 'pull'; readonly chart: HelmPull }
  /** `inflation` is packed by `packInflation`. */
  | { readonly operation: 'template'; readonly inflation: string }

/** A little longer than the function's timeout, so that Lambda's own error arrives. */
const timeoutMs = 130_000

/**
 * Pulls and renders charts in a function of its own: its code would make the functions that build too large, and a chart that exhausts
 * time or memory does not affect them. Promises fail with the engine's message, or with CloudError if the function does not respond.
 */
export const helmByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): Helm => {
  const invoke = invokeFunction(cloud, invoked, { what: 'helmCharts', timeoutMs })
  const send = (request: HelmChartsRequest): Promise<string> => invoke(request)
  return {
    pull: async chart => unpackFiles(await send({ operation: 'pull', chart })),
    template: async chart => {
      const inflation = packInflation(chart)
      if (inflation.length > maxPayload)
        throw new Error(
          `chart ${chart.chartName} has ${inflation.length} bytes compressed, and a function on AWS takes ${maxPayload}: ` +
            'make it a HelmRelease, or commit what keelson kustomize --enable-helm prints',
        )
      return unpackText(await send({ operation: 'template', inflation }))
    },
  }
}

type PackedFiles = readonly (readonly [path: string, characters: string])[]

/** Each byte becomes the character with the same code, which compresses better than base64. */
const toCharacters = (content: Uint8Array): string => Buffer.from(content).toString('latin1')
const toBytes = (characters: string): Uint8Array => Buffer.from(characters, 'latin1')

const packedFiles = (files: ChartFiles): PackedFiles =>
  [...files].map(([path, content]) => [path, toCharacters(content)])
const filesOf = (packed: PackedFiles): ChartFiles =>
  new Map(packed.map(([path, characters]) => [path, toBytes(characters)]))

/** Files as the text of a response: compressed, as payloads of functions are limited. */
export const packFiles = (files: ChartFiles): string => packText(JSON.stringify(packedFiles(files)))
const unpackFiles = (packed: string): ChartFiles => filesOf(JSON.parse(unpackText(packed)))

const packInflation = ({ files, values, ...rest }: ChartInflation): string =>
  packText(JSON.stringify({ ...rest, files: packedFiles(files), values: values.map(toCharacters) }))

/** What the function renders: the inverse of what `helmByFunction` packs. */
export const unpackInflation = (packed: string): ChartInflation => {
  const { files, values, ...rest } = JSON.parse(unpackText(packed)) as Omit<ChartInflation, 'files' | 'values'> & {
    readonly files: PackedFiles
    readonly values: readonly string[]
  }
  return { ...rest, files: filesOf(files), values: values.map(toBytes) }
}
