import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHelmChartsRequest, sample } from '../../../events/helm-charts.ts'
import { answerHelmCharts } from '../../../lib/compose/aws/answer-helm-charts.ts'
import { chartsByFunction } from '../../../lib/compose/aws/helm-charts-function.ts'
import { unpackText } from '../../../lib/compose/aws/packed-text.ts'
import { chartInflation } from '../../../lib/compose/chart-inflation.ts'
import type { ChartInflation, Helm } from '../../../lib/engines/kustomize/generators/helm.ts'
import { Budget, type Limits } from '../../../lib/foundations/budget/budget.ts'
import { CloudError } from '../../../lib/platform/cloud/cloud-error.ts'

// What a function of its own answers, and what this process would, are the same.

const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' }

const asking = (answer: (body: string) => Promise<Response>, limits: Limits = {}): Helm['template'] =>
  chartsByFunction(
    { fetch: (_, { body = '' }) => answer(body) as never, clock: { now: Date.now }, environment: {} },
    { functionName: 'hub-helmcharts', region: 'eu-west-1', identity: async () => credentials },
    limits,
  )

const answered = async (body: string) => Response.json(await answerHelmCharts(parseHelmChartsRequest(JSON.parse(body))))

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, i) => i))

const chartOf = (template: string, more: Partial<ChartInflation> = {}): ChartInflation => ({
  ...{ chartName: 'web', releaseName: 'near', namespace: 'apps', apiVersions: ['team.example/v1'] },
  ...{ includeCRDs: true, skipTests: false, skipHooks: false, devel: false, debug: false },
  values: [Buffer.from('name: müller'), Buffer.from('size: large')],
  ...more,
  files: new Map<string, Uint8Array>([
    ['Chart.yaml', Buffer.from('apiVersion: v2\nname: web\nversion: 1.0.0\n')],
    ['every.bin', everyByte],
    ['crds/a.yaml', Buffer.from('kind: CustomResourceDefinition\n')],
    ['templates/map.yaml', Buffer.from(template)],
    ...(more.files ?? []),
  ]),
})

const map = `kind: ConfigMap
data:
  who: {{ .Values.name }} of {{ .Release.Name }}/{{ .Release.Namespace }}
  size: {{ .Values.size }}
  known: {{ .Capabilities.APIVersions.Has "team.example/v1" }}
  bytes: {{ .Files.Get "every.bin" | b64enc }}
`

for (const [where, template] of Object.entries({
  'in this process': chartInflation().template,
  'by a function': asking(answered),
})) {
  test(`a chart rendered ${where} has its values, its files byte for byte and its CRDs`, async () => {
    const output = await template(chartOf(map), new Budget())
    assert.match(output, /who: müller of near\/apps\n {2}size: large\n {2}known: true\n/)
    assert.ok(output.includes(everyByte.toString('base64')))
    assert.match(output, /^---\n# Source: web\/crds\/a\.yaml\nkind: CustomResourceDefinition\n/)
  })

  test(`a chart that is refused ${where} is refused in Helm's words`, async () => {
    await assert.rejects(template(chartOf('{{ fail "no luck" }}'), new Budget()), /^\w*Error: .*no luck/)
    await assert.rejects(
      template(chartOf('', { nameTemplate: '{{ fail }}' }), new Budget()),
      /cannot set --name-template and also specify a name/,
    )
  })
}

test('what the operator allows a build to cost holds in the function too', async () => {
  const values = [Buffer.from(`list: [${'1,'.repeat(1000)}1]`)]
  await asking(answered)(chartOf(map, { values }), new Budget())
  await assert.rejects(
    asking(answered, { nodes: 500 })(chartOf(map), new Budget()).then(() =>
      asking(answered, { nodes: 500 })(
        chartOf(map, { files: new Map([['values.yaml', values[0]!]]) }),
        new Budget(),
      ),
    ),
    /over budget: more than 500 YAML nodes/,
  )
})

test('a function that is gone or fails has judged nothing; a chart too large to be sent is refused with what to do', async () => {
  const crashed = asking(async () => Response.json({ errorMessage: 'Task timed out after 120.00 seconds' }))
  await assert.rejects(crashed(chartOf(map), new Budget()), (error: Error) => {
    assert.ok(error instanceof CloudError)
    return /helmCharts: the function hub-helmcharts failed/.test(error.message)
  })
  // Bytes that don't compress.
  let seed = 1
  const noise = Buffer.from(Array.from({ length: 6_000_000 }, () => (seed = (seed * 48271) % 2147483647) & 255))
  await assert.rejects(
    asking(answered)(chartOf(map, { files: new Map([['noise', noise]]) }), new Budget()),
    /^Error: chart web has \d+ bytes as it is sent, and a function on AWS takes \d+: make it a HelmRelease/,
  )
})

test('reads requests, and says which field of another is wrong without showing it', async () => {
  const parsed = parseHelmChartsRequest(sample)
  assert.deepEqual(parsed, sample)
  const answer = await answerHelmCharts(parsed)
  assert.ok('value' in answer)
  assert.match(unpackText(answer.value), /name: near\}\ndata: \{size: large\}/)
  const wrong = /^EventError: this is no request for helmCharts: /
  assert.throws(() => parseHelmChartsRequest({ inflation: 7, limits: {} }), wrong)
  assert.throws(() => parseHelmChartsRequest({ inflation: 'secret', limits: { nodes: 'secret' } }), (error: Error) => {
    assert.match(`${error}`, /: limits is not an object of numbers$/)
    return !/secret/.test(error.message)
  })
})
