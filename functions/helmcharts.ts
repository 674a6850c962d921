import { parseHelmChartsRequest } from '../events/helm-charts.ts'
import { answerHelmCharts } from '../lib/compose/aws/answer-helm-charts.ts'
import { readAwsSettings } from '../lib/compose/aws/environment.ts'
import { helmOver } from '../lib/compose/chart-inflation.ts'
import { composeCloud } from '../lib/compose/cloud.ts'
import { systemClock } from '../lib/platform/adapters/embedded/system-clock.ts'

const settings = readAwsSettings(process.env)
const helm = helmOver(composeCloud(systemClock, { ...settings, metadataService: false }).connections)

/** Pulls and renders charts for the functions that build kustomizations. It has no hub, and no rights. */
export const handler = (event: unknown) => answerHelmCharts(helm, settings.buildLimits, parseHelmChartsRequest(event))
