"""Names of time zones in English, as Java has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class ZoneNames:
    """The names of zones that are called alike.

    Attributes:
        standard: Short and long, of standard time.
        summer: Short and long, of daylight saving time.
        general: Short and long, of both.
        zones: The zones; the first one is meant where only the name is known.
    """

    standard: tuple[str, str]
    summer: tuple[str, str]
    general: tuple[str, str]
    zones: tuple[str, ...]


@cache
def all_names() -> tuple[ZoneNames, ...]:
    """The names of all zones, in the order in which Java looks for them."""
    found = []
    for line in _NAMES.strip().replace("\\\n", "").splitlines():
        *names, zones = line.split("|")
        found.append(ZoneNames((names[0], names[1]), (names[2], names[3]), (names[4], names[5]), tuple(zones.split())))
    return tuple(found)


@cache
def names_of(zone: str) -> ZoneNames | None:
    """The names of a zone, if it has any."""
    return next((each for each in all_names() if zone in each.zones), None)


#: Short and long name of standard time, of daylight saving time, of both; then the zones.
_NAMES = """\
PST|Pacific Standard Time|PDT|Pacific Daylight Time|PT|Pacific Time|America/Los_Angeles PST PST8PDT America/Tijuana \\
SystemV/PST8PDT America/Vancouver Canada/Pacific Mexico/BajaNorte America/Ensenada US/Pacific
MST|Mountain Standard Time|MDT|Mountain Daylight Time|MT|Mountain Time|America/Denver America/Phoenix PNT MST7MDT \\
SystemV/MST7 America/Boise America/Dawson America/Inuvik America/Creston SystemV/MST7MDT America/Edmonton \\
America/Shiprock America/Whitehorse America/Fort_Nelson America/Yellowknife America/Dawson_Creek \\
America/Cambridge_Bay America/Ciudad_Juarez Canada/Yukon US/Arizona US/Mountain Canada/Mountain Navajo
CST|Central Standard Time|CDT|Central Daylight Time|CT|Central Time|America/Chicago CST CST6CDT SystemV/CST6 \\
America/Belize America/Merida America/Regina America/Managua America/Ojinaga SystemV/CST6CDT America/Resolute \\
America/Winnipeg America/Chihuahua America/Guatemala America/Matamoros America/Menominee America/Monterrey \\
America/Costa_Rica America/El_Salvador America/Mexico_City America/Rainy_River America/Tegucigalpa \\
America/Indiana/Knox America/Rankin_Inlet America/Swift_Current America/Bahia_Banderas America/Indiana/Tell_City \\
America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem Mexico/General US/Central \\
America/Knox_IN Canada/Central US/Indiana-Starke Canada/Saskatchewan
EST|Eastern Standard Time|EDT|Eastern Daylight Time|ET|Eastern Time|America/New_York America/Indianapolis EST5EDT \\
SystemV/EST5 America/Cancun America/Cayman America/Nassau America/Panama America/Detroit America/Iqaluit \\
America/Jamaica America/Nipigon America/Toronto SystemV/EST5EDT America/Montreal America/Grand_Turk \\
America/Louisville America/Pangnirtung America/Thunder_Bay America/Coral_Harbour America/Indiana/Vevay \\
America/Port-au-Prince America/Indiana/Marengo America/Indiana/Winamac America/Indiana/Vincennes \\
America/Indiana/Petersburg America/Kentucky/Monticello America/Fort_Wayne US/Michigan America/Kentucky/Louisville \\
America/Atikokan America/Indiana/Indianapolis IET US/Eastern Canada/Eastern US/East-Indiana Jamaica
HST|Hawaii-Aleutian Standard Time|HDT|Hawaii-Aleutian Daylight Time|HST|Hawaii-Aleutian Time|Pacific/Honolulu \\
SystemV/HST10 US/Hawaii
AKST|Alaska Standard Time|AKDT|Alaska Daylight Time|AKT|Alaska Time|America/Anchorage America/Sitka AST America/Nome \\
America/Juneau America/Yakutat SystemV/YST9YDT America/Metlakatla US/Alaska
AST|Atlantic Standard Time|ADT|Atlantic Daylight Time|AT|Atlantic Time|America/Halifax PRT SystemV/AST4 \\
America/Aruba America/Thule America/Antigua America/Curacao America/Grenada America/Marigot America/Moncton \\
America/Tortola SystemV/AST4ADT America/Anguilla America/Barbados America/Dominica America/St_Kitts America/St_Lucia \\
Atlantic/Bermuda America/Glace_Bay America/Goose_Bay America/St_Thomas America/Guadeloupe America/Kralendijk \\
America/Martinique America/Montserrat America/St_Vincent America/Puerto_Rico America/Blanc-Sablon \\
America/Lower_Princes America/Port_of_Spain America/Santo_Domingo America/St_Barthelemy Canada/Atlantic \\
America/Virgin
NST|Newfoundland Standard Time|NDT|Newfoundland Daylight Time|NT|Newfoundland Time|America/St_Johns CNT \\
Canada/Newfoundland
CET|Central European Standard Time|CEST|Central European Summer Time|CET|Central European Time|Europe/Paris ECT \\
Europe/Oslo Europe/Rome Africa/Ceuta Africa/Tunis Europe/Malta Europe/Vaduz Europe/Berlin Europe/Madrid \\
Europe/Monaco Europe/Prague Europe/Skopje Europe/Tirane Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich \\
Africa/Algiers Europe/Andorra Europe/Vatican Europe/Belgrade Europe/Brussels Europe/Budapest Europe/Busingen \\
Europe/Sarajevo Europe/Amsterdam Europe/Gibraltar Europe/Ljubljana Europe/Podgorica Europe/Stockholm \\
Europe/Bratislava Europe/Copenhagen Europe/Luxembourg Europe/San_Marino Atlantic/Jan_Mayen Arctic/Longyearbyen \\
Poland
GMT|Greenwich Mean Time|GMT|Greenwich Mean Time|GMT|Greenwich Mean Time|GMT Etc/GMT Africa/Lome Africa/Dakar \\
Africa/Bamako Africa/Banjul Africa/Bissau Africa/Abidjan Africa/Conakry Africa/Freetown Africa/Monrovia \\
Africa/Sao_Tome Africa/Timbuktu Africa/Nouakchott Africa/Ouagadougou Atlantic/Reykjavik Atlantic/St_Helena \\
America/Danmarkshavn Iceland Greenwich Etc/Greenwich
IST|Israel Standard Time|IDT|Israel Daylight Time|IT|Israel Time|Asia/Jerusalem Israel Asia/Tel_Aviv
JST|Japan Standard Time|JDT|Japan Daylight Time|JT|Japan Time|Asia/Tokyo JST Japan
EET|Eastern European Standard Time|EEST|Eastern European Summer Time|EET|Eastern European Time|Europe/Bucharest ART \\
Asia/Gaza Asia/Amman Asia/Beirut Asia/Hebron Europe/Kiev Europe/Riga Africa/Cairo Asia/Nicosia Europe/Sofia \\
Asia/Damascus Europe/Athens Africa/Tripoli Europe/Tallinn Europe/Vilnius Europe/Chisinau Europe/Helsinki \\
Europe/Uzhgorod Europe/Mariehamn Europe/Zaporozhye Europe/Kaliningrad Libya Europe/Tiraspol Europe/Kyiv Egypt \\
Europe/Nicosia
CST|China Standard Time|CDT|China Daylight Time|CT|China Time|Asia/Shanghai CTT Asia/Macau Asia/Harbin \\
Asia/Chongqing Asia/Chungking Asia/Macao PRC
UTC|Coordinated Universal Time|UTC|Coordinated Universal Time|UTC|Coordinated Universal Time|UTC Etc/UTC Universal \\
Etc/Universal Etc/UCT Zulu Etc/Zulu UCT
ACST|Australian Central Standard Time|ACDT|Australian Central Daylight Time|ACT|Central Australia Time|ACT \\
Australia/Darwin Australia/Adelaide Australia/Broken_Hill Australia/North Australia/Yancowinna Australia/South
AEST|Australian Eastern Standard Time|AEDT|Australian Eastern Daylight Time|AET|Eastern Australia Time|AET \\
Australia/Currie Australia/Hobart Australia/Sydney Australia/Brisbane Australia/Lindeman Australia/Melbourne \\
Antarctica/Macquarie Australia/Tasmania Australia/ACT Australia/Victoria Australia/Queensland Australia/Canberra \\
Australia/NSW
BRT|Brasilia Standard Time|BRST|Brasilia Summer Time|BRT|Brasilia Time|BET America/Bahia America/Belem \\
America/Maceio America/Recife America/Santarem America/Araguaina America/Fortaleza America/Sao_Paulo Brazil/East
BDT|Bangladesh Standard Time|BDST|Bangladesh Summer Time|BDT|Bangladesh Time|BST Asia/Dhaka Asia/Dacca
CAT|Central Africa Time|CAST|Central African Summer Time|CAT|Central Africa Time|CAT Africa/Juba Africa/Harare \\
Africa/Kigali Africa/Lusaka Africa/Maputo Africa/Blantyre Africa/Gaborone Africa/Khartoum Africa/Bujumbura \\
Africa/Lubumbashi
EAT|East Africa Time|EAST|Eastern African Summer Time|EAT|Eastern Africa Time|EAT Africa/Asmera Indian/Comoro \\
Africa/Kampala Africa/Nairobi Indian/Mayotte Africa/Djibouti Africa/Mogadishu Africa/Addis_Ababa Indian/Antananarivo \\
Africa/Dar_es_Salaam Africa/Asmara
WSST|Apia Standard Time|WSDT|Apia Daylight Time|WST|Apia Time|MIT Pacific/Apia
AMT|Armenia Standard Time|AMST|Armenia Summer Time|AMT|Armenia Time|NET Asia/Yerevan
NZST|New Zealand Standard Time|NZDT|New Zealand Daylight Time|NZT|New Zealand Time|NST Pacific/Auckland \\
Antarctica/McMurdo Antarctica/South_Pole NZ
PKT|Pakistan Standard Time|PKST|Pakistan Summer Time|PKT|Pakistan Time|PLT Asia/Karachi
SBT|Solomon Islands Time|SBST|Solomon Is. Summer Time|SBT|Solomon Is. Time|SST Pacific/Guadalcanal
AST|Arabian Standard Time|ADT|Arabian Daylight Time|AT|Arabian Time|Asia/Aden Asia/Qatar Asia/Kuwait Asia/Riyadh \\
Asia/Baghdad Asia/Bahrain
AZT|Azerbaijan Standard Time|AZST|Azerbaijan Summer Time|AZT|Azerbaijan Time|Asia/Baku
TLT|East Timor Time|TLST|Timor-Leste Summer Time|TLT|Timor-Leste Time|Asia/Dili
HOVT|Hovd Standard Time|HOVST|Hovd Summer Time|HOVT|Hovd Time|Asia/Hovd
OMST|Omsk Standard Time|OMSST|Omsk Summer Time|OMST|Omsk Time|Asia/Omsk
ORAT|West Kazakhstan Time|ORAST|Oral Summer Time|ORAT|Oral Time|Asia/Oral
AQTT|West Kazakhstan Time|AQTST|Aqtau Summer Time|AQTT|Aqtau Time|Asia/Aqtau
YAKT|Yakutsk Standard Time|YAKST|Yakutsk Summer Time|YAKT|Yakutsk Time|Asia/Chita Asia/Yakutsk Asia/Khandyga
GST|Gulf Standard Time|GDT|Gulf Daylight Time|GT|Gulf Time|Asia/Dubai Asia/Muscat
AFT|Afghanistan Time|AFST|Afghanistan Summer Time|AFT|Afghanistan Time|Asia/Kabul
KST|Korean Standard Time|KDT|Korean Daylight Time|KT|Korean Time|Asia/Seoul Asia/Pyongyang ROK
ALMT|East Kazakhstan Time|ALMST|Alma-Ata Summer Time|ALMT|Alma-Ata Time|Asia/Almaty
ANAT|Anadyr Standard Time|ANAST|Anadyr Summer Time|ANAT|Anadyr Time|Asia/Anadyr
AQTT|West Kazakhstan Time|AQTST|Aqtobe Summer Time|AQTT|Aqtobe Time|Asia/Aqtobe
GMT+05:00|West Kazakhstan Time|GMT+05:00|Atyrau Daylight Time|GMT+05:00|Atyrau Time|Asia/Atyrau
BNT|Brunei Darussalam Time|BNST|Brunei Summer Time|BNT|Brunei Time|Asia/Brunei
PST|Philippine Standard Time|PDT|Philippine Summer Time|PT|Philippine Time|Asia/Manila
ICT|Indochina Time|ICST|Indochina Summer Time|ICT|Indochina Time|Asia/Saigon Asia/Bangkok Asia/Vientiane \\
Asia/Phnom_Penh VST Asia/Ho_Chi_Minh
CST|Taipei Standard Time|CDT|Taipei Daylight Time|CT|Taipei Time|Asia/Taipei
IRST|Iran Standard Time|IRDT|Iran Daylight Time|IRT|Iran Time|Asia/Tehran Iran
SCT|Seychelles Time|SCST|Seychelles Summer Time|SCT|Seychelles Time|Indian/Mahe
CHUT|Chuuk Time|CHUST|Chuuk Summer Time|CHUT|Chuuk Time|Pacific/Yap Pacific/Truk Pacific/Chuuk
GMT|Greenwich Mean Time|GHST|Ghana Summer Time|GMT|Ghana Mean Time|Africa/Accra
WAT|West Africa Standard Time|WAST|West Africa Summer Time|WAT|West Africa Time|Africa/Lagos Africa/Bangui \\
Africa/Douala Africa/Luanda Africa/Malabo Africa/Niamey Africa/Kinshasa Africa/Ndjamena Africa/Libreville \\
Africa/Porto-Novo Africa/Brazzaville
HAST|Hawaii-Aleutian Standard Time|HADT|Hawaii-Aleutian Daylight Time|HAT|Hawaii-Aleutian Time|America/Adak \\
Pacific/Johnston America/Atka US/Aleutian
PET|Peru Standard Time|PEST|Peru Summer Time|PET|Peru Time|America/Lima
KGT|Kyrgyzstan Time|KGST|Kirgizstan Summer Time|KGT|Kirgizstan Time|Asia/Bishkek
IST|India Standard Time|IDT|India Daylight Time|IT|India Time|Asia/Colombo Asia/Calcutta IST Asia/Kolkata
IRKT|Irkutsk Standard Time|IRKST|Irkutsk Summer Time|IRKT|Irkutsk Time|Asia/Irkutsk
WIB|Western Indonesia Time|WIST|West Indonesia Summer Time|WIB|West Indonesia Time|Asia/Jakarta Asia/Pontianak
MYT|Malaysia Time|MYST|Malaysia Summer Time|MYT|Malaysia Time|Asia/Kuching Asia/Kuala_Lumpur
MAGT|Magadan Standard Time|MAGST|Magadan Summer Time|MAGT|Magadan Time|Asia/Magadan
MMT|Myanmar Time|MMST|Myanmar Summer Time|MMT|Myanmar Time|Asia/Rangoon Asia/Yangon
GET|Georgia Standard Time|GEST|Georgia Summer Time|GET|Georgia Time|Asia/Tbilisi
BTT|Bhutan Time|BTST|Bhutan Summer Time|BTT|Bhutan Time|Asia/Thimphu Asia/Thimbu
MSK|Moscow Standard Time|MSD|Moscow Summer Time|MT|Moscow Time|Europe/Minsk Europe/Moscow Europe/Simferopol W-SU
CCT|Cocos Islands Time|CCST|Cocos Islands Summer Time|CCT|Cocos Islands Time|Indian/Cocos
FJT|Fiji Standard Time|FJST|Fiji Summer Time|FJT|Fiji Time|Pacific/Fiji
ChST|Chamorro Standard Time|ChDT|Chamorro Daylight Time|ChT|Chamorro Time|Pacific/Guam Pacific/Saipan
NUT|Niue Time|NUST|Niue Summer Time|NUT|Niue Time|Pacific/Niue
WAKT|Wake Island Time|WAKST|Wake Summer Time|WAKT|Wake Time|Pacific/Wake
PST|Pitcairn Time|PST|Pitcairn Time|PST|Pitcairn Time|SystemV/PST8
AKST|Gambier Time|AKST|Gambier Time|AKST|Gambier Time|SystemV/YST9
SAST|South Africa Standard Time|SAST|South Africa Summer Time|SAT|South Africa Time|Africa/Maseru Africa/Mbabane \\
Africa/Johannesburg
ART|Argentina Standard Time|ARST|Argentina Summer Time|ART|Argentina Time|America/Jujuy America/Cordoba \\
America/Mendoza America/Catamarca America/Buenos_Aires America/Argentina/Salta America/Argentina/Tucuman \\
America/Argentina/Ushuaia America/Argentina/La_Rioja America/Argentina/San_Juan America/Argentina/San_Luis \\
America/Argentina/Rio_Gallegos America/Argentina/Catamarca America/Argentina/Cordoba America/Argentina/Mendoza \\
America/Argentina/Jujuy America/Argentina/ComodRivadavia America/Rosario America/Argentina/Buenos_Aires
TMT|Turkmenistan Standard Time|TMST|Turkmenistan Summer Time|TMT|Turkmenistan Time|Asia/Ashgabat Asia/Ashkhabad
TJT|Tajikistan Time|TJST|Tajikistan Summer Time|TJT|Tajikistan Time|Asia/Dushanbe
WIT|Eastern Indonesia Time|EIST|East Indonesia Summer Time|WIT|East Indonesia Time|Asia/Jayapura
NPT|Nepal Time|NPST|Nepal Summer Time|NPT|Nepal Time|Asia/Katmandu Asia/Kathmandu
WITA|Central Indonesia Time|CIST|Central Indonesia Summer Time|WITA|Central Indonesia Time|Asia/Makassar \\
Asia/Ujung_Pandang
QOST|East Kazakhstan Time|QOSST|Kostanay Summer Time|QOST|Kostanay Time|Asia/Qostanay
SAKT|Sakhalin Standard Time|SAKST|Sakhalin Summer Time|SAKT|Sakhalin Time|Asia/Sakhalin
UZT|Uzbekistan Standard Time|UZST|Uzbekistan Summer Time|UZT|Uzbekistan Time|Asia/Tashkent Asia/Samarkand
VLAT|Vladivostok Standard Time|VLAST|Vladivostok Summer Time|VLAT|Vladivostok Time|Asia/Ust-Nera Asia/Vladivostok
GMT|Greenwich Mean Time|IST|Irish Standard Time|IT|Irish Time|Europe/Dublin Eire
GMT|Greenwich Mean Time|BST|British Summer Time|BT|British Time|Europe/Jersey Europe/London Europe/Belfast \\
Europe/Guernsey Europe/Isle_of_Man GB-Eire GB
WET|Western European Standard Time|WEST|Western European Summer Time|WET|Western European Time|Europe/Lisbon \\
Atlantic/Canary Atlantic/Faeroe Atlantic/Madeira Portugal Atlantic/Faroe
SAMT|Samara Standard Time|SAMST|Samara Summer Time|SAMT|Samara Time|Europe/Samara
IOT|Indian Ocean Time|IOST|Indian Ocean Territory Summer Time|IOT|Indian Ocean Territory Time|Indian/Chagos
VUT|Vanuatu Standard Time|VUST|Vanuatu Summer Time|VUT|Vanuatu Time|Pacific/Efate
NRT|Nauru Time|NRST|Nauru Summer Time|NRT|Nauru Time|Pacific/Nauru
PWT|Palau Time|PWST|Palau Summer Time|PWT|Palau Time|Pacific/Palau
COT|Colombia Standard Time|COST|Colombia Summer Time|COT|Colombia Time|America/Bogota
AMT|Amazon Standard Time|AMST|Amazon Summer Time|AMT|Amazon Time|America/Cuiaba America/Manaus America/Boa_Vista \\
America/Porto_Velho America/Campo_Grande Brazil/West
GYT|Guyana Time|GYST|Guyana Summer Time|GYT|Guyana Time|America/Guyana
CST|Cuba Standard Time|CDT|Cuba Daylight Time|CT|Cuba Time|America/Havana Cuba
BOT|Bolivia Time|BOST|Bolivia Summer Time|BOT|Bolivia Time|America/La_Paz
HKT|Hong Kong Standard Time|HKST|Hong Kong Summer Time|HKT|Hong Kong Time|Asia/Hong_Kong Hongkong
PETT|Petropavlovsk-Kamchatski Standard Time|PETST|Petropavlovsk-Kamchatski Summer Time|PETT|Petropavlovsk-Kamchatski \\
Time|Asia/Kamchatka
QYZT|West Kazakhstan Time|QYZST|Qyzylorda Summer Time|QYZT|Qyzylorda Time|Asia/Qyzylorda
SGT|Singapore Standard Time|SGST|Singapore Summer Time|SGT|Singapore Time|Asia/Singapore Singapore
RET|Réunion Time|REST|Reunion Summer Time|RET|Reunion Time|Indian/Reunion
EAST|Easter Island Standard Time|EASST|Easter Island Summer Time|EAST|Easter Island Time|Pacific/Easter \\
Chile/EasterIsland
KOST|Kosrae Time|KOSST|Kosrae Summer Time|KOST|Kosrae Time|Pacific/Kosrae
MHT|Marshall Islands Time|MHST|Marshall Islands Summer Time|MHT|Marshall Islands Time|Pacific/Majuro \\
Pacific/Kwajalein Kwajalein
SST|Samoa Standard Time|SDT|Samoa Daylight Time|ST|Samoa Time|Pacific/Midway Pacific/Pago_Pago Pacific/Samoa \\
US/Samoa
NCT|New Caledonia Standard Time|NCST|New Caledonia Summer Time|NCT|New Caledonia Time|Pacific/Noumea
PONT|Ponape Time|PONST|Pohnpei Summer Time|PONT|Ponape Time|Pacific/Ponape Pacific/Pohnpei
TAHT|Tahiti Time|TAHST|Tahiti Summer Time|TAHT|Tahiti Time|Pacific/Tahiti
GILT|Gilbert Islands Time|GILST|Gilbert Is. Summer Time|GILT|Gilbert Is. Time|Pacific/Tarawa
WFT|Wallis & Futuna Time|WFST|Wallis & Futuna Summer Time|WFT|Wallis & Futuna Time|Pacific/Wallis
CAT|Central Africa Time|WAT|Western African Time|CAT|Central African Time|Africa/Windhoek
VET|Venezuela Time|VEST|Venezuela Summer Time|VET|Venezuela Time|America/Caracas
GFT|French Guiana Time|GFST|French Guiana Summer Time|GFT|French Guiana Time|America/Cayenne
WGT|West Greenland Standard Time|WGST|West Greenland Summer Time|WGT|West Greenland Time|America/Godthab \\
America/Nuuk
FNT|Fernando de Noronha Standard Time|FNST|Fernando de Noronha Summer Time|FNT|Fernando de Noronha \\
Time|America/Noronha Brazil/DeNoronha
CHOT|Ulaanbaatar Standard Time|CHOST|Ulaanbaatar Summer Time|CHOT|Ulaanbaatar Time|Asia/Choibalsan
AZOT|Azores Standard Time|AZOST|Azores Summer Time|AZOT|Azores Time|Atlantic/Azores
ACWST|Australian Central Western Standard Time|ACWDT|Australian Central Western Daylight Time|ACWT|Australian \\
Central Western Time|Australia/Eucla
AWST|Australian Western Standard Time|AWDT|Australian Western Daylight Time|AWT|Western Australia \\
Time|Australia/Perth Australia/West
MVT|Maldives Time|MVST|Maldives Summer Time|MVT|Maldives Time|Indian/Maldives
CHAST|Chatham Standard Time|CHADT|Chatham Daylight Time|CHAT|Chatham Time|Pacific/Chatham NZ-CHAT
TKT|Tokelau Time|TKST|Tokelau Summer Time|TKT|Tokelau Time|Pacific/Fakaofo
GAMT|Gambier Time|GAMST|Gambier Summer Time|GAMT|Gambier Time|Pacific/Gambier
NFT|Norfolk Island Standard Time|NFST|Norfolk Island Daylight Time|NFT|Norfolk Island Time|Pacific/Norfolk
PYT|Paraguay Standard Time|PYST|Paraguay Summer Time|PYT|Paraguay Time|America/Asuncion
ACT|Acre Standard Time|ACST|Acre Summer Time|ACT|Acre Time|America/Eirunepe America/Rio_Branco America/Porto_Acre \\
Brazil/Acre
MST|Mexican Pacific Standard Time|MDT|Mexican Pacific Daylight Time|MT|Mexican Pacific Time|America/Mazatlan \\
America/Hermosillo Mexico/BajaSur
PMST|St. Pierre & Miquelon Standard Time|PMDT|St. Pierre & Miquelon Daylight Time|PMT|St. Pierre & Miquelon \\
Time|America/Miquelon
CLT|Chile Standard Time|CLST|Chile Summer Time|CLT|Chile Time|America/Santiago Chile/Continental
AWST|Casey Time|AWDT|Australian Western Daylight Time|AWT|Australian Western Time|Antarctica/Casey
DAVT|Davis Time|DAVST|Davis Summer Time|DAVT|Davis Time|Antarctica/Davis
SYOT|Syowa Time|SYOST|Syowa Summer Time|SYOT|Syowa Time|Antarctica/Syowa
GMT|Greenwich Mean Time|CEST|Central European Summer Time|ATT|Troll Time|Antarctica/Troll
KRAT|Krasnoyarsk Standard Time|KRAST|Krasnoyarsk Summer Time|KRAT|Krasnoyarsk Time|Asia/Krasnoyarsk \\
Asia/Novokuznetsk
NOVT|Novosibirsk Standard Time|NOVST|Novosibirsk Summer Time|NOVT|Novosibirsk Time|Asia/Novosibirsk
ULAT|Ulaanbaatar Standard Time|ULAST|Ulaanbaatar Summer Time|ULAT|Ulaanbaatar Time|Asia/Ulaanbaatar Asia/Ulan_Bator
FKT|Falkland Islands Standard Time|FKST|Falkland Islands Summer Time|FKT|Falkland Islands Time|Atlantic/Stanley
MSK|Volgograd Standard Time|MSD|Volgograd Summer Time|MT|Volgograd Time|Europe/Volgograd
CXT|Christmas Island Time|CXST|Christmas Island Summer Time|CIT|Christmas Island Time|Indian/Christmas
TFT|French Southern & Antarctic Time|TFST|French Southern & Antarctic Lands Summer Time|TFT|French Southern & \\
Antarctic Lands Time|Indian/Kerguelen
MUT|Mauritius Standard Time|MUST|Mauritius Summer Time|MUT|Mauritius Time|Indian/Mauritius
TVT|Tuvalu Time|TVST|Tuvalu Summer Time|TVT|Tuvalu Time|Pacific/Funafuti
PST|Pitcairn Time|PDT|Pitcairn Daylight Time|PT|Pitcairn Time|Pacific/Pitcairn
ECT|Ecuador Time|ECST|Ecuador Summer Time|ECT|Ecuador Time|America/Guayaquil
MAWT|Mawson Time|MAWST|Mawson Summer Time|MAWT|Mawson Time|Antarctica/Mawson
VOST|Vostok Time|VOSST|Vostok Summer Time|VOST|Vostok Time|Antarctica/Vostok
PHOT|Phoenix Islands Time|PHOST|Phoenix Is. Summer Time|PHOT|Phoenix Is. Time|Pacific/Enderbury
GALT|Galapagos Time|GALST|Galapagos Summer Time|GALT|Galapagos Time|Pacific/Galapagos
MART|Marquesas Time|MARST|Marquesas Summer Time|MART|Marquesas Time|Pacific/Marquesas
CKT|Cook Islands Standard Time|CKHST|Cook Islands Half Summer Time|CKT|Cook Islands Time|Pacific/Rarotonga
TOT|Tonga Standard Time|TOST|Tonga Summer Time|TOT|Tonga Time|Pacific/Tongatapu
UYT|Uruguay Standard Time|UYST|Uruguay Summer Time|UYT|Uruguay Time|America/Montevideo
SRT|Suriname Time|SRST|Suriname Summer Time|SRT|Suriname Time|America/Paramaribo
ROTT|Rothera Time|ROTST|Rothera Summer Time|ROTT|Rothera Time|Antarctica/Rothera
YEKT|Yekaterinburg Standard Time|YEKST|Yekaterinburg Summer Time|YEKT|Yekaterinburg Time|Asia/Yekaterinburg
LINT|Line Islands Time|LINST|Line Is. Summer Time|LINT|Line Is. Time|Pacific/Kiritimati
CVT|Cape Verde Standard Time|CVST|Cape Verde Summer Time|CVT|Cape Verde Time|Atlantic/Cape_Verde
LHST|Lord Howe Standard Time|LHDT|Lord Howe Daylight Time|LHT|Lord Howe Time|Australia/Lord_Howe Australia/LHI
PST|Northwest Mexico Standard Time|PDT|Northwest Mexico Daylight Time|PT|Northwest Mexico Time|America/Santa_Isabel
EGT|East Greenland Standard Time|EGST|East Greenland Summer Time|EGT|East Greenland Time|America/Scoresbysund
PGT|Papua New Guinea Time|PGST|Papua New Guinea Summer Time|PGT|Papua New Guinea Time|Pacific/Port_Moresby
GST|South Georgia Time|GDT|South Georgia Daylight Time|GT|South Georgia Time|Atlantic/South_Georgia
DDUT|Dumont-d’Urville Time|DDUST|Dumont-d'Urville Summer Time|DDUT|Dumont-d'Urville Time|Antarctica/DumontDUrville
XJT|Xinjiang Standard Time|XJDT|Xinjiang Daylight Time|XJT|Xinjiang Time|Asia/Kashgar Asia/Urumqi
CET|Central European Time|CEST|Central European Summer Time|CET|Central European Time|CET
TRT|Turkey Time|TRST|Turkey Summer Time|TRT|Turkey Time|Europe/Istanbul Asia/Istanbul Turkey
GMT+07:00|Tomsk Standard Time|GMT+07:00|Tomsk Daylight Time|GMT+07:00|Tomsk Time|Asia/Tomsk
HST|Hawaii Standard Time|HST|Hawaii Standard Time|HST|Hawaii Standard Time|HST
GMT+04:00|Saratov Standard Time|GMT+04:00|Saratov Standard Time|GMT+04:00|Saratov Time|Europe/Saratov
ART|Argentine Time|ARST|Argentine Summer Time|ART|Argentine Time|AGT
BST|Bougainville Standard Time|BST|Bougainville Daylight Time|BT|Bougainville Time|Pacific/Bougainville
GMT+07:00|Barnaul Standard Time|GMT+07:00|Barnaul Daylight Time|GMT+07:00|Barnaul Time|Asia/Barnaul
EST|Eastern Standard Time|EST|Eastern Standard Time|EST|Eastern Standard Time|EST
MET|Middle Europe Time|MEST|Middle Europe Summer Time|MET|Middle Europe Time|MET
WET|Western European Time|WEST|Western European Summer Time|WET|Western European Time|Africa/El_Aaiun \\
Africa/Casablanca WET
CLT|Chile Time|CLST|Chile Summer Time|CLT|Chile Time|Antarctica/Palmer
GMT-03:00|Punta Arenas Standard Time|GMT-03:00|Punta Arenas Standard Time|GMT-03:00|Punta Arenas \\
Time|America/Punta_Arenas
MSK|Moscow Standard Time|MSD|Moscow Daylight Time|MT|Moscow Time|Europe/Kirov
GMT+13:00|Kanton Standard Time|GMT+13:00|Kanton Daylight Time|GMT+13:00|Kanton Time|Pacific/Kanton
GMT+04:00|Astrakhan Standard Time|GMT+04:00|Astrakhan Standard Time|GMT+04:00|Astrakhan Time|Europe/Astrakhan
MST|Mountain Standard Time|MST|Mountain Standard Time|MST|Mountain Standard Time|MST
EET|Eastern European Time|EEST|Eastern European Summer Time|EET|Eastern European Time|Asia/Famagusta EET
GMT+04:00|Ulyanovsk Standard Time|GMT+04:00|Ulyanovsk Standard Time|GMT+04:00|Ulyanovsk Time|Europe/Ulyanovsk
SRET|Srednekolymsk Time|SREDT|Srednekolymsk Daylight Time|SRET|Srednekolymsk Time|Asia/Srednekolymsk
"""
