import { defaultKubeVersion, parseKubeVersion } from '../../engines/helm/capabilities.ts'
import { defaultApiVersions } from '../../engines/helm/default-api-versions.ts'
import { chartFunctions } from '../../engines/helm/functions.ts'
import { nameFunctions } from '../../engines/helm/name-functions.ts'
import { generateReleaseName, nameFromTemplate } from '../../engines/helm/release-name.ts'
import { renderChart } from '../../engines/helm/render-chart.ts'
import { validateValues } from '../../engines/helm/schema/validate-values.ts'
import { templateOutput } from '../../engines/helm/template-output.ts'
import { mergeUserValues } from '../../engines/helm/user-values.ts'
import type { ChartInflation } from '../../engines/kustomize/generators/helm.ts'
import type { Certifier } from '../../engines/template/functions/certificates.ts'
import type { Budget } from '../../foundations/budget/budget.ts'
import { loadChart } from './chart.ts'
import { filesInFolder } from './chart-folder.ts'
import { helmLimits } from './helm-limits.ts'

export interface InflateOptions {
  /** The clock, random bytes and keys for template functions. */
  readonly certifier: Certifier
  /** Charged for the YAML that is parsed. */
  readonly budget: Budget
}

/**
 * Renders a chart of a kustomization's `helmCharts` to the output of `helm template`. Ignores Helm's own settings
 * (`configHome`). Throws HelmError, InvalidChart or a template error in Helm's wording, or BudgetExceeded.
 */
export const inflateChart = async (
  inflation: ChartInflation,
  { certifier, budget }: InflateOptions,
): Promise<string> => {
  const { files, namespace = '', kubeVersion = '', apiVersions, includeCRDs, skipTests, skipHooks } = inflation
  const tree = new Map([...files].map(([path, content]) => [path, { content, executable: false }]))
  const chart = await loadChart(filesInFolder(tree, ''), helmLimits, { budget })
  const values = mergeUserValues({
    files: inflation.values.map((content, i) => ({ path: `values-${i}.yaml`, content })),
  })
  const rendered = renderChart(chart, values, {
    functions: chartFunctions(certifier),
    release: {
      name: releaseNameOf(inflation, certifier),
      namespace: namespace || 'default',
      revision: 1,
      isUpgrade: false,
    },
    capabilities: {
      kubeVersion: kubeVersion === '' ? defaultKubeVersion : parseKubeVersion(kubeVersion),
      apiVersions: [...defaultApiVersions, ...apiVersions.flatMap(list => list.split(','))],
    },
    validate: validateValues,
    budget,
  })
  return templateOutput(rendered, { includeCrds: includeCRDs, noHooks: skipHooks, skipTests })
}

/** kustomize passes `--generate-name` if there is no name; a name template overrides it. */
const releaseNameOf = ({ releaseName, nameTemplate, chartName }: ChartInflation, certifier: Certifier): string => {
  if (releaseName) {
    if (nameTemplate) throw new Error('cannot set --name-template and also specify a name')
    return releaseName
  }
  if (nameTemplate) return nameFromTemplate(nameTemplate, nameFunctions(certifier))
  return generateReleaseName(chartName, certifier.now())
}
