import { emitJson } from '../../../engines/yaml/emit-json.ts'
import type { JsonObject } from '../../../engines/yaml/json-value.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { HubPage } from '../../store/hub.ts'
import type { ListForm, ListMeta } from '../views.ts'

/**
 * A list in parts, as its pages arrive. Its metadata comes before the objects if known; the continue token of a truncated list is only known
 * at the end.
 */
export async function* listText(
  form: ListForm,
  pages: AsyncIterable<HubPage<KubernetesObject>> | Iterable<HubPage<KubernetesObject>>,
  metadata?: ListMeta,
): AsyncGenerator<string, void> {
  const write = form.format === 'yaml' ? inYaml : inJson
  yield write.begin(form, metadata)
  let last: HubPage<KubernetesObject> | undefined
  let isEmpty = true
  for await (const page of pages) {
    last = page
    if (page.items.length === 0) continue
    yield write.items(page.items.map(form.item), isEmpty)
    isEmpty = false
  }
  yield write.end(form, isEmpty, metadata ?? metadataOf(last!), metadata !== undefined)
}

const metadataOf = ({ resourceVersion, continue: next }: ListMeta): ListMeta => ({
  resourceVersion,
  ...(next && { continue: next }),
})

/** One page as a complete JSON list. */
export const shortListText = async (form: ListForm, page: HubPage<KubernetesObject>): Promise<string> => {
  let text = ''
  for await (const part of listText({ ...form, format: 'json' }, [page], metadataOf(page))) text += part
  return text
}

interface Writing {
  begin(form: ListForm, metadata: ListMeta | undefined): string
  items(items: readonly string[], areFirst: boolean): string
  end(form: ListForm, isEmpty: boolean, metadata: ListMeta, isMetadataWritten: boolean): string
}

const inJson: Writing = {
  begin: ({ fields, member }, metadata) => `${JSON.stringify(fields(metadata)).slice(0, -1)},"${member}":[`,
  items: (items, areFirst) => (areFirst ? '' : ',') + items.join(','),
  end: ({ fields }, _, metadata, isMetadataWritten) =>
    `]${isMetadataWritten ? '' : `,"metadata":${JSON.stringify(fields(metadata).metadata)}`}}`,
}

/** Fields are sorted: some come after the objects. */
const inYaml: Writing = {
  begin: ({ fields, member }, metadata) => {
    const before = Object.entries(fields(metadata)).filter(([name]) => name < member)
    return `${emitJson(Object.fromEntries(before) as JsonObject)}${member}:`
  },
  items: (items, areFirst) => (areFirst ? '\n' : '') + items.map(item => emitJson([JSON.parse(item)])).join(''),
  end: ({ fields, member }, isEmpty, metadata, isMetadataWritten) => {
    const isUnwritten = (name: string) => name > member || (name === 'metadata' && !isMetadataWritten)
    const behind = Object.fromEntries(Object.entries(fields(metadata)).filter(([name]) => isUnwritten(name)))
    return (isEmpty ? ' []\n' : '') + (Object.keys(behind).length > 0 ? emitJson(behind as JsonObject) : '')
  },
}
