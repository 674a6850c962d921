import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('kustomize')

const saved = because('spares making anew what is the same')
const unlike = because('no text in the place of nothing is like what is looked for')

export const explained: readonly Explanation[] = [
  saved(
    'replacements/match-path.ts',
    '/^[A-Za-z0-9_/-]*$/.test(pattern) ? text => text.includes(pattern) : compilePattern(pattern)',
    '/^[A-Za-z0-9_/-]*$/ → /^[A-Za-z0-9_/-]$/',
  ),
  unlike('replacements/replacement.ts', 'const { select, reject = [], options } = target', '[] → ["Stryker was here"]'),
]
