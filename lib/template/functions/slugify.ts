import { TemplateFunction } from '../values/value.ts'

/** Letters that don't decompose into a Latin one and its marks. */
const SPECIAL: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'Ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŋ: 'ng',
  Ŋ: 'NG',
  ŧ: 't',
  Ŧ: 'T',
  ĸ: 'k',
  ə: '@',
  '€': 'EUR',
  '£': 'PS',
  '©': '(c)',
  '®': '(r)',
  '°': 'deg',
}

const GREEK_AND_CYRILLIC: Readonly<Record<string, string>> = {
  α: 'a',
  β: 'b',
  γ: 'g',
  δ: 'd',
  ε: 'e',
  ζ: 'z',
  η: 'e',
  θ: 'th',
  ι: 'i',
  κ: 'k',
  λ: 'l',
  μ: 'm',
  ν: 'n',
  ξ: 'x',
  ο: 'o',
  π: 'p',
  ρ: 'r',
  σ: 's',
  ς: 's',
  τ: 't',
  υ: 'u',
  φ: 'ph',
  χ: 'kh',
  ψ: 'ps',
  ω: 'o',
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  д: 'd',
  е: 'e',
  ж: 'zh',
  з: 'z',
  и: 'i',
  й: 'i',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'shch',
  ъ: '',
  ы: 'y',
  ь: "'",
  э: 'e',
  ю: 'iu',
  я: 'ia',
  ё: 'io',
  є: 'ie',
  і: 'i',
  ї: 'yi',
  ґ: 'g',
  ђ: 'dj',
  ј: 'j',
  љ: 'lj',
  њ: 'nj',
  ћ: 'tsh',
  џ: 'dz',
}

/** What becomes of some characters before they are made ASCII. */
const WORDS: Readonly<Record<string, string>> = {
  '&': 'and',
  '@': 'at',
  '"': '',
  "'": '',
  '’': '',
  '‒': '-',
  '–': '-',
  '—': '-',
  '―': '-',
}

const toAscii = (character: string): string => {
  if (character < '\x80') return character
  const known = SPECIAL[character] ?? GREEK_AND_CYRILLIC[character.toLowerCase()]
  if (known !== undefined) return known
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '')
  if (plain === character) return ''
  return [...plain].map(toAscii).join('')
}

/**
 * A name for labels and DNS of any text: ASCII letters in lower case, digits, `-` and `_`. Latin, Greek and Cyrillic letters
 * are written in ASCII ones; those of other scripts fall away (the original spells them out).
 */
export const slugify = (text: string): string =>
  [...text.trim()]
    .map(c => WORDS[c] ?? c)
    .map(part => [...part].map(toAscii).join(''))
    .join('')
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/-+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')

export const slugifyFunction = new TemplateFunction(['string'], slugify)
