import type { ChartFile } from './chart.ts'

interface WithCrds {
  readonly files: readonly ChartFile[]
  readonly dependencies: readonly (WithCrds &
    ({ readonly name: string } | { readonly metadata: { readonly name: string } }))[]
}

/** The files in `crds/` of a chart, then of its subcharts; paths start at the root chart. */
export const crdsOf = (chart: WithCrds, path = ''): ChartFile[] => [
  ...chart.files
    .filter(({ name }) => name.startsWith('crds/') && /\.(?:yaml|yml|json)$/i.test(name))
    .map(({ name, data }) => ({ name: path === '' ? name : `${path}/${name}`, data })),
  ...chart.dependencies.flatMap(dependency => {
    const name = 'name' in dependency ? dependency.name : dependency.metadata.name
    return crdsOf(dependency, `${path}/charts/${name}`)
  }),
]
