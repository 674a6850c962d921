import { parseArgs } from 'node:util'
import { resourceSetFunctions } from '../../lib/engines/template/functions/resource-set.ts'
import { parseTemplate } from '../../lib/engines/template/template.ts'
import { fromJson } from '../../lib/engines/template/values/from-json.ts'
import { templateOracle } from '../bed/template-oracle.ts'
import { table } from './table.ts'

export const description =
  "running templates of ResourceSets again and again, beside Go's text/template with slim-sprig"

const tenant = {
  tenant: 'Team One',
  environment: 'production',
  cluster: { name: 'eu-1', region: 'eu-central-1', labels: { zone: 'a', tier: 'gold' } },
  replicas: 3,
  tag: 'v1.2.3',
  hosts: ['a.example.com', 'b.example.com', 'c.example.com'],
  admins: ['ada', 'grace', 'linus', 'ken'],
  provider: {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSetInputProvider',
    name: 'teams',
    namespace: 'flux-system',
  },
}

const many = { items: Array.from({ length: 200 }, (_, i) => ({ id: `item-${i}`, size: i, labels: { index: `${i}` } })) }

const cases: Readonly<Record<string, { template: string; data: unknown }>> = {
  'one field': { template: 'name: << inputs.tenant >>', data: tenant },
  'a Namespace': {
    template: `apiVersion: v1
kind: Namespace
metadata:
  name: << inputs.tenant | slugify >>
  labels:
    environment: << inputs.environment | quote >>
    cluster: << inputs.cluster.name >>-<< inputs.cluster.region >>`,
    data: tenant,
  },
  'a Deployment': {
    template: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: << inputs.tenant | slugify | trunc 20 >>
  labels: << inputs.cluster.labels | toJson >>
spec:
  <<- if gt inputs.replicas 1 >>
  replicas: << inputs.replicas >>
  <<- else >>
  replicas: 1
  <<- end >>
  template:
    metadata:
      annotations:
        checksum: << inputs.hosts | toJson | sha256sum >>
    spec:
      containers:
      - name: << printf "%s-%d" (lower inputs.environment) inputs.replicas >>
        image: ghcr.io/acme/app:<< trimPrefix "v" inputs.tag >>
        env:
        <<- range $i, $host := inputs.hosts >>
        - name: HOST_<< $i >>
          value: << $host | upper | quote >>
        <<- end >>
        <<- with inputs.cluster.labels >>
        - name: ZONE
          value: << .zone | default "none" >>
        <<- end >>`,
    data: tenant,
  },
  'nested data as YAML': { template: '<< inputs | toYaml | nindent 2 >>', data: tenant },
  'a list of 200': {
    template: `<<- range $i, $item := inputs.items >>
- id: << $item.id >>
  size: << mul $item.size 2 >>
  even: << eq (mod $i 2) 0 >>
  <<- range $k, $v := $item.labels >>
  << $k >>: << $v | quote >>
  <<- end >>
<<- end >>`,
    data: many,
  },
}

/** The clock is looked at so often. */
const ROUNDS = 7
const WARM_MS = 300

export const run = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({ args: [...args], options: { ms: { type: 'string', default: '200' } } })
  await using oracle = await templateOracle()
  const functions = resourceSetFunctions()
  const rows: string[][] = []
  let [sumOfLogs, count] = [0, 0]
  for (const [name, { template, data }] of Object.entries(cases)) {
    const inputs = fromJson(data)
    const calls = new Map([['inputs', () => inputs]])
    const parsed = parseTemplate('resourceset', template, { functions, delimiters: ['<<', '>>'], missingKey: 'error' })
    const execute = () => parsed.execute(null, { calls })
    const output = execute()
    const times = repeatsFor(execute, Number(values.ms))
    const ask = (times: number) => oracle.ask({ functions: 'resourceset', template, data, times })
    const first = await ask(times)
    if (first.output !== output)
      throw new Error(`${name}: Go prints other text:\n${first.output ?? first.error}\n${output}`)
    let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < ROUNDS; round++) {
      ours = Math.min(ours, timeOf(execute, times))
      const answer = await ask(times)
      theirs = Math.min(theirs, answer.nanoseconds! / times / 1000)
    }
    sumOfLogs += Math.log(ours / theirs)
    count++
    rows.push([name, ...[theirs, ours, ours / theirs].map(value => value.toFixed(2))])
  }
  console.log(table(['template', 'Go µs', 'ours µs', 'ratio'], rows))
  console.log(
    `\nours takes ${Math.exp(sumOfLogs / count).toFixed(2)} of Go's time (geometric mean; least of ${ROUNDS} rounds)`,
  )
}

/** Microseconds for one call. */
const timeOf = (call: () => unknown, times: number): number => {
  const start = performance.now()
  for (let i = 0; i < times; i++) call()
  return ((performance.now() - start) / times) * 1000
}

/** Warms up as well. */
const repeatsFor = (call: () => unknown, milliseconds: number): number => {
  const until = performance.now() + WARM_MS
  let calls = 0
  while (performance.now() < until) {
    call()
    calls++
  }
  return Math.max(10, Math.round((calls / WARM_MS) * milliseconds))
}
