import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { yamlLines } from '../model/yaml-text.ts'

/** An object as YAML, without managed fields; values of Secrets never come here, as the console shows none. */
export const YamlText = ({ object }: { readonly object: KubernetesObject }) => {
  const { managedFields, ...metadata } = object.metadata
  const lines = yamlLines({ ...object, metadata })
  return (
    <section class="panel" aria-label="YAML">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <pre class="code" tabIndex={0}>
        {lines.map((line, at) => (
          <span key={at}>{line}</span>
        ))}
      </pre>
    </section>
  )
}
