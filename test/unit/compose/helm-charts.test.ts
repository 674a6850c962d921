import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHelmChartsRequest, sample } from '../../../events/helm-charts.ts'
import { handleHelmCharts } from '../../../lib/compose/aws/handle-helm-charts.ts'
import { helmByFunction } from '../../../lib/compose/aws/helm-charts-function.ts'
import { unpackText } from '../../../lib/compose/aws/packed-text.ts'
import { chartInflation } from '../../../lib/compose/chart-inflation.ts'
import type { ChartInflation, Helm } from '../../../lib/engines/kustomize/generators/helm.ts'
import { Budget, type Limits } from '../../../lib/foundations/budget/budget.ts'
import { CloudError } from '../../../lib/platform/cloud/cloud-error.ts'

// What a function of its own answers, and what this process would, are the same.

const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' }

const asking = (answer: (body: string) => Promise<Response>): Helm =>
  helmByFunction(
    { fetch: (_, { body = '' }) => answer(body) as never, clock: { now: Date.now }, environment: {} },
    { functionName: 'hub-helmcharts', region: 'eu-west-1', identity: async () => credentials },
  )

const local = chartInflation()

const within =
  (limits: Limits = {}, helm: Helm = local) =>
  async (body: string) =>
    Response.json(await handleHelmCharts(helm, limits, parseHelmChartsRequest(JSON.parse(body))))

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
  'in this process': local.template,
  'by a function': asking(within()).template,
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
  const large = chartOf(map, { files: new Map([['values.yaml', values[0]!]]) })
  const { template } = asking(within({ nodes: 500 }))
  await template(chartOf(map), new Budget())
  await assert.rejects(template(large, new Budget()), /over budget: more than 500 YAML nodes/)
  await asking(within({ nodes: 5000 })).template(large, new Budget())
})

test('a chart pulled by a function is the one that the function pulled, byte for byte', async () => {
  const chart = { name: 'web', repo: 'https://charts.example', version: '1.x', devel: false, debug: false }
  const files = new Map<string, Uint8Array>([
    ['Chart.yaml', Buffer.from('name: web')],
    ['every.bin', everyByte],
  ])
  const asked: unknown[] = []
  const pull: Helm['pull'] = async wanted => {
    asked.push(wanted)
    return files
  }
  const pulled = await asking(within({}, { ...local, pull })).pull(chart)
  assert.deepEqual([...pulled], [...files])
  assert.deepEqual(asked, [chart])
  const missing: Helm['pull'] = async () => {
    throw new Error('no chart version found for web-1.x')
  }
  await assert.rejects(asking(within({}, { ...local, pull: missing })).pull(chart), /^Error: no chart version found/)
})

test('a function that is gone or fails has judged nothing; a chart too large to be sent is refused with what to do', async () => {
  const crashed = asking(async () => Response.json({ errorMessage: 'Task timed out after 120.00 seconds' }))
  await assert.rejects(crashed.template(chartOf(map), new Budget()), (error: Error) => {
    assert.ok(error instanceof CloudError)
    return /helmCharts: the function hub-helmcharts failed/.test(error.message)
  })
  // Bytes that don't compress.
  let seed = 1
  const next = () => {
    seed = (seed * 48271) % 2147483647
    return seed & 255
  }
  const noise = Uint8Array.from({ length: 4_800_000 }, next)
  await assert.rejects(
    asking(within()).template(chartOf(map, { files: new Map([['noise', noise]]) }), new Budget()),
    /^Error: chart web has \d+ bytes compressed, and a function on AWS takes \d+: make it a HelmRelease/,
  )
})

test('reads requests, and says which field of another is wrong without showing it', async () => {
  const parsed = parseHelmChartsRequest(sample)
  assert.deepEqual(parsed, sample)
  const answer = await handleHelmCharts(local, {}, parsed)
  assert.ok('value' in answer)
  assert.match(unpackText(answer.value), /name: near\}\ndata: \{size: large\}/)
  const wrong = /^EventError: invalid request for helmCharts: /
  assert.throws(() => parseHelmChartsRequest({ operation: 'template', inflation: 7 }), wrong)
  assert.throws(
    () => parseHelmChartsRequest({ operation: 'lint', inflation: 'secret' }),
    (error: Error) => {
      assert.match(`${error}`, /: operation is "lint"$/)
      return !/secret/.test(error.message)
    },
  )
  const chart = { name: 'web', repo: 7 }
  assert.throws(() => parseHelmChartsRequest({ operation: 'pull', chart }), /: chart\.repo is not a string$/)
})
