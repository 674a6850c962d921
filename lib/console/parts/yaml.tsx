import { emitJson } from '../../engines/yaml/emit-json.ts'
import type { JsonValue } from '../../engines/yaml/json-value.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** An object as YAML, as kubectl prints it, without managed fields; values of Secrets never come here, as the console shows none. */
export const YamlText = ({ object }: { readonly object: KubernetesObject }) => {
  const { managedFields, ...metadata } = object.metadata
  const text = emitJson({ ...object, metadata } as unknown as JsonValue)
  const lines = text.trimEnd().split('\n')
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
