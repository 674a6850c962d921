import { gzipSync } from 'node:zlib'
import { EventError, fieldsOf } from './event-error.ts'

const event = 'request for helmCharts'

/** Requests from `build` and `apply` to the function `helmcharts`: to pull a chart, or to render one, which is packed with its values. */
export type HelmChartsEvent =
  | { readonly operation: 'pull'; readonly chart: ChartReference }
  | { readonly operation: 'template'; readonly inflation: string }

interface ChartReference {
  readonly name: string
  readonly repo: string
  readonly version?: string
  readonly devel: boolean
  readonly debug: boolean
}

/** Throws EventError, which quotes none of the values. */
export const parseHelmChartsRequest = (value: unknown): HelmChartsEvent => {
  const request = fieldsOf(event, value)
  const operation = request.text('operation')
  if (operation === 'template') return { operation, inflation: request.text('inflation') }
  if (operation !== 'pull') throw new EventError(event, `operation is ${JSON.stringify(operation)}`)
  const chart = request.object('chart')
  const version = chart.optionalText('version')
  return {
    operation,
    chart: {
      ...{ name: chart.text('name'), repo: chart.text('repo') },
      ...(version !== undefined && { version }),
      ...{ devel: chart.value('devel') === true, debug: chart.value('debug') === true },
    },
  }
}

/** A chart with one ConfigMap. */
export const sample = {
  operation: 'template',
  inflation: gzipSync(
    JSON.stringify({
      ...{ chartName: 'web', releaseName: 'near', values: ['size: large'], apiVersions: [] },
      ...{ includeCRDs: false, skipTests: false, skipHooks: false, devel: false, debug: false },
      files: [
        ['Chart.yaml', 'apiVersion: v2\nname: web\nversion: 1.0.0\n'],
        [
          'templates/map.yaml',
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {size: {{ .Values.size }}}\n',
        ],
      ],
    }),
  ).toString('base64'),
} satisfies HelmChartsEvent
