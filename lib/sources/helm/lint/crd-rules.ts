import { crdsOf } from '../../../engines/helm/chart-crds.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { Chart } from '../chart.ts'
import type { LintReport } from './lint-message.ts'
import { readObject, splitDocuments } from './object-rules.ts'

/** Lint rules for the files in `crds/`: they contain CustomResourceDefinitions, and no templates. */
export const lintCrds = (chart: Chart, report: LintReport): void => {
  for (const { name: path, data } of crdsOf(chart)) {
    try {
      for (const document of splitDocuments(Buffer.from(data).toString('utf8'))) {
        const object = readObject(document)
        if (!object) continue
        const { apiVersion, kind } = object
        const isOfGroup = apiVersion.startsWith('apiextensions.k8s.io')
        report.rule('ERROR', path, isOfGroup ? undefined : "apiVersion is not in 'apiextensions.k8s.io'")
        const isCrd = kind === 'CustomResourceDefinition'
        report.rule('ERROR', path, isCrd ? undefined : "object kind is not 'CustomResourceDefinition'")
      }
    } catch (error) {
      report.rule('ERROR', path, `unable to parse YAML: ${errorMessage(error)}`)
      return
    }
  }
}
