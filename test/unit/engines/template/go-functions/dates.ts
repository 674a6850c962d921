import { each, type Family, list } from './family.ts'

const zoned = '(toDate "2006-01-02T15:04:05.999999999Z07:00" "2024-03-05T07:08:09.123456789+02:00")'
const times = [zoned, '(toDate "2006-01-02" "1969-12-31")', '0', '(int64 1700000000)', '-1', '"text"']
const durations = [
  ...list`
  1h ¦ 90m ¦ -1.5h ¦ 0 ¦ +5s ¦ 1h1m1s1ms1us1µs1ns ¦ .5s ¦ 5.s ¦ 1 ¦ x ¦ - ¦ 1d ¦ 2562047h47m16.854775807s ¦
  9999999h ¦ 1 h ¦ 1.s ¦ 1h-1m ¦ 100ms
`,
  '',
].map(text => `"${text}"`)

/** Where the locales of JavaScript have no letters for the zone, or others than the time zone database; and some besides. */
const zonesOfOwnLetters = `
  America/Adak America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse America/Havana
  America/Miquelon Antarctica/Casey Antarctica/Troll Asia/Colombo Asia/Dubai Asia/Muscat Asia/Hong_Kong
  Asia/Jakarta Asia/Pontianak Asia/Makassar Asia/Jayapura Asia/Jerusalem Asia/Karachi Asia/Macau Asia/Shanghai
  Asia/Taipei Asia/Manila Asia/Pyongyang Asia/Seoul Australia/Eucla Australia/Lord_Howe Europe/Dublin
  Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd
  MET Pacific/Chatham Pacific/Guam Pacific/Saipan Pacific/Midway Pacific/Pago_Pago Etc/GMT Etc/GMT+0 Etc/GMT-0
  Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich GMT+5 Zulu Etc/UCT PRC ROK Israel Eire Europe/London
  Europe/Lisbon Atlantic/Azores Africa/Abidjan Africa/Casablanca America/Caracas Asia/Kabul Pacific/Kiritimati
  America/Asuncion Asia/Tehran
`
  .trim()
  .split(/\s+/)

export const family: Family = {
  functions: 'sprig',
  calls: {
    'shows a time in a zone': [
      ...each(['date "2006-01-02 15:04:05 MST -0700"', 'htmlDate'], times.slice(0, -1)),
      ...each(
        ['dateInZone', 'date_in_zone'].map(name => `${name} "2006-01-02 15:04:05 MST -07:00" ${zoned}`),
        [
          '"UTC"',
          '""',
          '"Europe/Berlin"',
          '"America/New_York"',
          '"Asia/Kolkata"',
          '"Asia/Kathmandu"',
          '"Australia/Sydney"',
          '"Nowhere/None"',
          '"Local"',
          '"EST"',
          '"CET"',
          '"Etc/GMT+5"',
          '"Etc/GMT-14"',
          '"America/St_Johns"',
          '"europe/berlin"',
          '"../etc"',
          '"Asia/Tokyo"',
          '"America/Sao_Paulo"',
        ],
      ),
      'dateInZone "15:04 MST" (toDate "2006-01-02" "2024-07-05") "Europe/Berlin"',
      'dateInZone "15:04 MST" (toDate "2006-01-02" "2024-07-05") "America/New_York"',
      'dateInZone "15:04 -07:00:00" (toDate "2006-01-02" "1880-07-05") "Europe/Berlin"',
      'dateInZone "2006" 5 1',
      ...each(
        [`htmlDateInZone`],
        [`${zoned} "Asia/Tokyo"`, `${zoned} "America/New_York"`, `86399 "Asia/Tokyo"`, `(int64 0) "UTC"`, '86400 ""'],
      ),
      `date "Mon Jan _2 3:04PM 06 .000 002 pm 1 2 __2 Z0700" ${zoned}`,
    ],
    'calls zones by their letters, in winter and in summer': ['2024-01-05', '2024-07-05'].flatMap(day =>
      zonesOfOwnLetters.map(zone => `dateInZone "15:04 MST -07:00" (toDate "2006-01-02" "${day}") "${zone}"`),
    ),
    'adds durations': [
      ...each(
        ['dateModify', 'date_modify', 'mustDateModify', 'must_date_modify'],
        durations.map(text => `${text} ${zoned}`),
      ),
      'dateModify "1h" 5',
      'mustDateModify "1h" nil',
      'dateModify 1 2',
      ...each(
        ['unixEpoch'],
        [
          zoned,
          '(toDate "2006-01-02" "1969-12-31")',
          '5',
          '(toDate "x" "y")',
          '(toDate "2006-01-02T15:04:05.9Z07:00" "1969-12-31T23:59:58.5Z")',
        ],
      ),
    ],
    'reads durations part by part, and says which is wrong': each(
      ['mustDateModify'],
      [
        ...['', '-', '+', '.', '-.', '0', '00', '+0', '-0', '0s', '1h0', '--1h', '+-1h', '1h1h', '.5h.5m', '1.h1.m'],
        ...['1.5', '1.5.5s', '1h.', '1h1', '1h-1m', '5.1.Éss', '.25ª', '1ﬁxé', '1µs', '1μs', '1us', '1\\"s', '1\\\\s'],
        ...['1\\u007fs', '0 \\r', '0%41 ', 'x٣', '1٣', 'é', '1constructor', '1e3s', '1_0s', '2562047h47m16.85B775807s'],
        ...['99999999999999999999', '99999999999999999999x', '9999999h1x', '9223372036s1x', '9223372036854775808x'],
        ...['9223372036854775809x', '9223372036854775807ns', '9223372036854775808ns', '-9223372036854775808ns'],
        ...[
          '-9223372036854775809ns',
          '2562047h47m16.854775808s',
          '-2562047h47m16.854775808s',
          '5124095h1x',
          '1H',
          '1s1',
        ],
        '-2562047h47m16.854775809s',
      ].map(text => `"${text}" (toDate "2006" "2020")`),
    ),
    'no time is longer ago than 64 bits say': [
      ...each(
        ['ago', 'durationRound'],
        [
          ...[
            '(toDate "x" "y")',
            '(toDate "2006" "9999")',
            '(int64 -9999999999999)',
            '99999999999999',
            'now',
            '1.5',
            '"x"',
          ],
          ...[
            '(index "abc" 1)',
            '(semver "3").Major',
            '2e10',
            'true',
            'nil',
            '(mustDateModify "1.6s" now)',
            '(mustDateModify "1.4s" now)',
          ],
          ...['(mustDateModify "-1.6s" now)', '(mustDateModify "-1.4s" now)', '(toDate "2006" "2020").Weekday'],
        ],
      ),
      'durationRound ((toDate "2006" "2020").Sub (toDate "2006" "2019"))',
      'duration (index "abc" 1)',
      'duration ((toDate "2006" "2020").Sub (toDate "2006" "2019"))',
    ],
    'tells how long': [
      ...each(
        ['duration'],
        list`
  "93784" ¦ "0" ¦ "-5" ¦ "+7" ¦ "1.5" ¦ 61.0 ¦ "x" ¦ "" ¦ (int64 61) ¦ 61 ¦ 1.5 ¦ nil ¦ true ¦ "9223372036854775807" ¦
  (int64 9223372036) ¦ "99999999999999999999" ¦ "-99999999999999999999" ¦ "9223372037" ¦ (int64 -3600) ¦ "1e3" ¦
  "1_0" ¦ " 1" ¦ "1 "
`,
      ),
      ...each(
        ['durationRound'],
        list`
  "2400h5s" ¦ "1s" ¦ "1.1s" ¦ "59s" ¦ "60s" ¦ "61s" ¦ "1m1s" ¦ "1h" ¦ "1h1s" ¦ "24h" ¦ "24h1s" ¦ "720h" ¦
  "721h" ¦ "8760h" ¦ "8761h" ¦ "17521h" ¦ "-2h" ¦ "0" ¦ "x" ¦ "" ¦ 5 ¦ (int64 5000000000) ¦ (int64 1000000000) ¦
  (int64 -90000000000) ¦ nil ¦ 1.5 ¦ "500ms" ¦ "9999999h"
`,
      ),
    ],
    'reads a time by its layout': [
      ...each(
        ['toDate', 'mustToDate'],
        list`
  "2006-01-02" "2024-02-29" ¦ "2006-01-02" "2023-02-29" ¦ "2006-01-02" "x" ¦ "2006" "2024" ¦ "15:04" "25:00" ¦
  "06" "x24" ¦ "_2" "x5" ¦ "002" "x005" ¦ "__2" "x5" ¦ "" "" ¦ "2006-01-02 MST" "2024-01-01 CET" ¦ "02/01/06" "31/12/99" ¦
  "2006-01-02T15:04:05Z07:00" "2024-01-01T00:00:00-05:30" ¦ 5 "x" ¦ "2006" nil
`,
      ),
    ],
  },
}
