import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { inputProviderKind } from '../../hub-client/fleet-kinds.ts'
import { readInputProviders } from '../../hub-client/read-input-providers.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { objectHref } from '../model/route.ts'
import { shownStateOf } from '../model/shown-state.ts'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'

type InputSet = Readonly<Record<string, unknown>>

/** What the templates of a ResourceSet are given: its own inputs, and those of each provider. */
export const ResourceSetInputs = ({ object }: { readonly object: KubernetesObject }) => {
  const { api } = useConsole()
  const { metadata, spec } = object as unknown as ResourceSet
  const { namespace = '' } = metadata
  const providers = useLive(api, {
    key: `inputs of ${namespace} ${metadata.name} ${metadata.generation}`,
    paths: [resourcePath(inputProviderKind, { namespace })],
    read: (hub, signal) => readInputProviders(hub, namespace, spec.inputsFrom ?? [], signal),
  })
  const own = spec.inputs ?? []
  return (
    <div class="stack">
      {own.length > 0 && (
        <section class="panel" aria-label="Its own inputs">
          <div class="bar">
            <h2>{`Its own inputs: ${counted(own.length, 'set')}`}</h2>
          </div>
          <InputTable of="the ResourceSet" sets={own} />
        </section>
      )}
      <Loaded of={providers}>
        {items => (
          <>
            {items.map(provider => (
              <ProviderInputs key={provider.metadata.name} provider={provider} isLinked />
            ))}
            {items.length === 0 && own.length === 0 && <p class="quiet">No inputs: its templates are rendered once.</p>}
          </>
        )}
      </Loaded>
    </div>
  )
}

interface ProviderProps {
  readonly provider: ResourceSetInputProvider
  /** Elsewhere than on the page of the provider. */
  readonly isLinked?: boolean
}

/** What a provider exports. */
export const ProviderInputs = ({ provider, isLinked = false }: ProviderProps) => {
  const { metadata, spec, status } = provider
  const sets = status?.exportedInputs ?? []
  const ref = { kind: inputProviderKind.kind, namespace: metadata.namespace, name: metadata.name }
  return (
    <section class="panel" aria-label={`Inputs of ${metadata.name}`}>
      <div class="bar">
        <h2>{isLinked ? <a href={objectHref(ref)}>{metadata.name}</a> : 'Exported inputs'}</h2>
        <span class="tag">{spec.type}</span>
        <State of={shownStateOf(provider)} />
        <span class="right">{counted(sets.length, 'set')}</span>
      </div>
      <InputTable of={metadata.name} sets={sets} />
    </section>
  )
}

const maxSets = 200

/** A row for each set of inputs, a column for each name. */
const InputTable = ({ of, sets }: { readonly of: string; readonly sets: readonly InputSet[] }) => {
  const names = [...new Set(sets.flatMap(set => Object.keys(set)))].filter(name => name !== 'provider')
  if (names.length === 0) return <p class="pad quiet">Empty.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section class="scrolled" aria-label={`Values of ${of}`} tabIndex={0}>
      <table class="list">
        <thead>
          <tr>
            {names.map(name => (
              <th key={name} class="mono">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sets.slice(0, maxSets).map((set, at) => (
            <tr key={String(set.id ?? at)}>
              {names.map(name => (
                <td key={name} class="mono break">
                  {textOf(set[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {sets.length > maxSets && <p class="pad quiet">{`and ${sets.length - maxSets} more`}</p>}
    </section>
  )
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
