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
import { loadDetectedChart } from './local-chart.ts'
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

/** `keelson helm template`: the output of `helm template`, without a cluster. */
export const templateCommand = (output: NodeJS.WritableStream): Command =>
  allowGoBooleans(
    withValueOptions(new Command('template'))
      .summary('render a chart')
      .description('Renders a chart with values, and prints its objects, byte for byte as helm template does.')
      .argument('<name-or-chart>', 'name of the release; or only the chart, with release-name as the name')
      .argument('[chart]', 'folder or archive of the chart')
      .option('-n, --namespace <namespace>', 'namespace of the release', 'default')
      .option('--kube-version <version>', 'Kubernetes version to render the chart for')
      .option('-a, --api-versions <versions>', 'API versions available to the chart; may be repeated', collect, [])
      .option('--include-crds', "print the chart's CRDs too", false)
      .option('--is-upgrade', 'render for an upgrade instead of an install', false)
      .option('--no-hooks', 'omit hooks')
      .option('--skip-tests', 'omit test hooks', false)
      .option('-s, --show-only <path>', 'print only the output of this template; may be repeated', collect, [])
      .option('--skip-schema-validation', "don't validate the values against the chart's schema", false)
      .option('--output-dir <folder>', 'write one file per template into this folder'),
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
  return renderChart(await loadDetectedChart(path), values, {
    functions: chartFunctions({ now: Date.now, bytes: size => randomBytes(size), newKey }),
    release: { name, namespace, revision: 1, isUpgrade },
    capabilities: {
      kubeVersion: kubeVersion === undefined ? defaultKubeVersion : parseKubeVersion(kubeVersion),
      apiVersions: [...defaultApiVersions, ...apiVersions.flatMap(list => list.split(','))],
    },
    ...(!options.skipSchemaValidation && { validate: validateValues }),
  })
}

/** Templates with the same path share a file. */
const writeFiles = (folder: string, files: readonly TemplateFile[], output: NodeJS.WritableStream): void => {
  const written = new Set<string>()
  for (const { path, text } of files) {
    writeBelow(folder, path, text, written.has(path) ? 'a' : 'w')
    written.add(path)
    output.write(`wrote ${join(folder, path)}\n`)
  }
}
