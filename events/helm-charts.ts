import { gzipSync } from 'node:zlib'
import { EventError, fieldsOf } from './event-error.ts'

const event = 'request for helmCharts'

/** What `build` and `apply` ask of the function `helmcharts`: a chart with its values, packed, and what it may cost. */
export interface HelmChartsEvent {
  readonly inflation: string
  readonly limits: Readonly<Record<string, number>>
}

/** Fails with EventError, which shows nothing of the values. */
export const parseHelmChartsRequest = (value: unknown): HelmChartsEvent => {
  const request = fieldsOf(event, value)
  const limits = request.value('limits')
  if (!areLimits(limits)) throw new EventError(event, 'limits is not an object of numbers')
  return { inflation: request.text('inflation'), limits }
}

const areLimits = (value: unknown): value is Readonly<Record<string, number>> =>
  typeof value === 'object' && value !== null && Object.values(value).every(limit => typeof limit === 'number')

/** A chart of one ConfigMap. */
export const sample = {
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
  limits: { nodes: 1000 },
} satisfies HelmChartsEvent
