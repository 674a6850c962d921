import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Command } from 'commander'
import { defaultKubeVersion, parseKubeVersion } from '../../engines/helm/capabilities.ts'
import { defaultApiVersions } from '../../engines/helm/default-api-versions.ts'
import { chartFunctions } from '../../engines/helm/functions.ts'
import { type RenderedChart, renderChart } from '../../engines/helm/render-chart.ts'
import { validateValues } from '../../engines/helm/schema/validate-values.ts'
import { type TemplateFile, templateFiles, templateOutput } from '../../engines/helm/template-output.ts'
import { newKey } from '../../engines/template/certificates/private-key.ts'
import { bytesOf } from '../../engines/template/values/text.ts'
import { allowGoBooleans } from '../go-switches.ts'
import { withChartErrors } from './chart-errors.ts'
import { loadLocalChart } from './local-chart.ts'
import { collect, type ValueOptions, valuesOf, withValueOptions } from './value-options.ts'
import { writeBelow } from './write-below.ts'

interface TemplateOptions extends ValueOptions {
  readonly namespace: string
  readonly kubeVersion?: string
  readonly apiVersions: readonly string[]
  readonly includeCrds: boolean
  readonly isUpgrade: boolean
  readonly hooks: boolean
  readonly skipTests: boolean
  readonly showOnly: readonly string[]
  readonly skipSchemaValidation: boolean
  readonly outputDir?: string
}

/** `keelson helm template`: what `helm template` prints, without a cluster. */
export const templateCommand = (output: NodeJS.WritableStream): Command =>
  allowGoBooleans(
    withValueOptions(new Command('template'))
      .summary('render a chart')
      .description('Renders a chart with values, and prints its objects, byte for byte as helm template does.')
      .argument('<name-or-chart>', 'name of the release; or the chart, whose release is then called release-name')
      .argument('[chart]', 'folder or archive of the chart')
      .option('-n, --namespace <namespace>', 'namespace of the release', 'default')
      .option('--kube-version <version>', 'version of Kubernetes that the chart is rendered for')
      .option('-a, --api-versions <versions>', 'API versions that the chart may count on; may be repeated', collect, [])
      .option('--include-crds', 'print the CRDs of the chart too', false)
      .option('--is-upgrade', 'render for an upgrade, not for an install', false)
      .option('--no-hooks', 'leave out hooks')
      .option('--skip-tests', 'leave out hooks that are tests', false)
      .option('-s, --show-only <path>', 'print only what this template makes; may be repeated', collect, [])
      .option('--skip-schema-validation', "don't hold the values against the chart's schema", false)
      .option('--output-dir <folder>', 'write a file per template into this folder'),
  ).action((first: string, second: string | undefined, options: TemplateOptions) =>
    withChartErrors(async () => {
      const [name, path] = second === undefined ? ['release-name', first] : [first, second]
      const rendered = await render(name, path, options)
      const shown = { ...options, noHooks: !options.hooks }
      if (options.outputDir === undefined) output.write(bytesOf(templateOutput(rendered, shown)))
      else writeFiles(options.outputDir, templateFiles(rendered, shown), output)
    }),
  )

const render = async (name: string, path: string, options: TemplateOptions): Promise<RenderedChart> => {
  const { namespace, kubeVersion, apiVersions, isUpgrade } = options
  const values = valuesOf(options)
  return renderChart(await loadLocalChart(path), values, {
    functions: chartFunctions({ now: Date.now, bytes: randomBytes, newKey }),
    release: { name, namespace, revision: 1, isUpgrade },
    capabilities: {
      kubeVersion: kubeVersion === undefined ? defaultKubeVersion : parseKubeVersion(kubeVersion),
      apiVersions: [...defaultApiVersions, ...apiVersions.flatMap(list => list.split(','))],
    },
    ...(!options.skipSchemaValidation && { validate: validateValues }),
  })
}

/** Templates of one path share a file. */
const writeFiles = (folder: string, files: readonly TemplateFile[], output: NodeJS.WritableStream): void => {
  const written = new Set<string>()
  for (const { path, text } of files) {
    writeBelow(folder, path, text, written.has(path) ? 'a' : 'w')
    written.add(path)
    output.write(`wrote ${join(folder, path)}\n`)
  }
}
