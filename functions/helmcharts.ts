import { parseHelmChartsRequest } from '../events/helm-charts.ts'
import { readAwsSettings } from '../lib/compose/aws/environment.ts'
import { handleHelmCharts } from '../lib/compose/aws/handle-helm-charts.ts'
import { helmUnder } from '../lib/compose/chart-inflation.ts'

const settings = readAwsSettings(process.env)
const helm = helmUnder(settings)

/** Pulls and renders charts for the functions that build kustomizations. It has no hub, and no permissions. */
export const handler = (event: unknown) => handleHelmCharts(helm, settings.buildLimits, parseHelmChartsRequest(event))
