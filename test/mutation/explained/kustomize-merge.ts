import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const style = because('texts of nodes are only compared: any one style for both will do')
const single = because('elements of one key are never united: it spares comparing them all')
const shown = "copy.style = node.kind === 'scalar' ? 'single' : 'flow'"

export const explained: readonly Explanation[] = [
  ...["node.kind === 'scalar' → true", `'flow' → ""`].map(change => style('merge/three-way-merge.ts', shown, change)),
  single(
    'merge/merge-list.ts',
    'if (byKeys.length > 1) identities = completed(identities)',
    'byKeys.length > 1 → true',
  ),
  single(
    'merge/merge-list.ts',
    'if (byKeys.length > 1) identities = completed(identities)',
    'byKeys.length > 1 → byKeys.length >= 1',
  ),
  because('what does not come first is appended')(
    'merge/three-way-merge.ts',
    "walkMerge({ ...options, newElements: 'append', visitKeys: true, visitor }, [dest, original, update])",
    `'append' → ""`,
  ),
  because('undefined is what comes back either way')('merge/json-patch.ts', '} catch {', '{ return undefined } → {}'),
]
