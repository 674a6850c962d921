import { extname } from 'node:path'
import { defaultKubeVersion, type KubeVersion } from '../../../engines/helm/capabilities.ts'
import { type ChartNode, chartTree } from '../../../engines/helm/chart-tree.ts'
import { coalesceValues } from '../../../engines/helm/coalesce.ts'
import { defaultApiVersions } from '../../../engines/helm/default-api-versions.ts'
import { lintFunctions } from '../../../engines/helm/functions.ts'
import { processDependencies } from '../../../engines/helm/process-dependencies.ts'
import { renderTemplates } from '../../../engines/helm/render-templates.ts'
import { scopeTemplates } from '../../../engines/helm/render-values.ts'
import { validateValues } from '../../../engines/helm/schema/validate-values.ts'
import type { Certifier } from '../../../engines/template/functions/certificates.ts'
import type { ValueMap } from '../../../engines/template/values/value.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { Chart } from '../chart.ts'
import type { LintReport } from './lint-message.ts'
import { lintObject, readObject, splitDocuments } from './object-rules.ts'

export interface TemplateLintOptions {
  /** The clock, random bytes and keys for template functions. */
  readonly certifier: Certifier
  readonly namespace: string
  readonly kubeVersion?: KubeVersion | undefined
  readonly skipSchemaValidation: boolean
}

const folder = 'templates/'

/** Lint rules for templates: they render, and to objects that Kubernetes accepts. */
export const lintTemplates = (
  chart: Chart,
  values: ValueMap,
  options: TemplateLintOptions,
  report: LintReport,
): void => {
  const { kubeVersion = defaultKubeVersion } = options
  const rendered = render(chart, values, { ...options, kubeVersion }, report)
  if (!rendered) return
  for (const { name: path } of chart.templates) {
    const extension = extname(path)
    report.rule('ERROR', path, extensionProblem(extension))
    if (!/^\.ya?ml$/i.test(extension)) continue
    const manifest = rendered.get(`${chart.metadata.name}/${path}`) ?? ''
    if (manifest.trim() === '') continue
    report.rule('WARNING', path, indentProblem(manifest))
    try {
      for (const document of splitDocuments(manifest)) {
        const object = readObject(document)
        if (object) lintObject(object, manifest, path, Number(kubeVersion.minor), report)
      }
    } catch (error) {
      // Helm stops here, also for the other templates.
      report.rule('ERROR', path, `unable to parse YAML: ${errorMessage(error)}`)
      return
    }
  }
}

/** Empty if the schema is violated or a template fails; as in Helm, errors before that are not reported. */
const render = (
  chart: Chart,
  given: ValueMap,
  {
    certifier,
    namespace,
    kubeVersion,
    skipSchemaValidation,
  }: TemplateLintOptions & { readonly kubeVersion: KubeVersion },
  report: LintReport,
): ReadonlyMap<string, string> | undefined => {
  let root: ChartNode
  let values: ValueMap
  try {
    root = chartTree(chart)
    processDependencies(root, given)
    values = coalesceValues(root, given, 'delete')
  } catch {
    return undefined
  }
  try {
    if (!skipSchemaValidation) validateValues(root, values)
    const release = { name: 'test-release', namespace, revision: 0, isUpgrade: false }
    const templates = scopeTemplates(root, values, release, { kubeVersion, apiVersions: defaultApiVersions })
    return renderTemplates(templates, { functions: lintFunctions(certifier) })
  } catch (error) {
    report.rule('ERROR', folder, errorMessage(error))
    return undefined
  }
}

const extensionProblem = (extension: string): string | undefined =>
  ['.yaml', '.yml', '.tpl', '.txt'].includes(extension)
    ? undefined
    : `file extension '${extension}' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt`

const indentProblem = (manifest: string): string | undefined => {
  const first = manifest.split('\n').find(line => line.trim() !== '') ?? ''
  return /^[ \t]/.test(first)
    ? `document starts with an illegal indent: ${quote(first.replace(/\r$/, ''))}, which may cause parsing problems`
    : undefined
}
