import { parseHelmChartsRequest } from '../events/helm-charts.ts'
import { answerHelmCharts } from '../lib/compose/aws/answer-helm-charts.ts'

/** Renders the charts of kustomizations for the functions that build them. It has no hub, and no rights. */
export const handler = (event: unknown) => answerHelmCharts(parseHelmChartsRequest(event))
