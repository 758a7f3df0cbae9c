import { expect, test } from 'vitest';
import { detectLanguage } from './detect.ts';

test.each([
  ['en', 'The invoice is payable within 30 days from the date of the delivery.'],
  ['de', 'Die Rechnung ist innerhalb von 30 Tagen nach dem Datum der Lieferung zu zahlen.'],
  ['fr', 'La facture est payable dans les 30 jours qui suivent la date de la livraison, avec escompte pour vous.'],
  ['es', 'La factura se paga en un plazo de 30 días a partir de la fecha de entrega, y los gastos son del cliente.'],
  ['it', 'La fattura è pagabile entro 30 giorni dalla data della consegna, e le spese sono a carico del cliente.'],
  [
    'nl',
    'De factuur moet binnen 30 dagen na de datum van de levering worden betaald, en dat is niet voor het bedrijf.',
  ],
  ['pl', 'Faktura jest płatna w ciągu 30 dni od daty dostawy i nie może być zapłacona przez inną osobę.'],
  ['ja', '請求書は30日以内にお支払いください。'],
  ['zh', '发票应在三十天内支付。'],
  ['el', 'Το τιμολόγιο είναι πληρωτέο'],
  [
    'nb',
    'Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd. Enhver har krav på alle de rettigheter og friheter som er nevnt i denne erklæring, uten forskjell av noen art, for eksempel på grunn av rase, farge, kjønn, språk.',
  ],
  [
    'da',
    'Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd. Alle har krav på de rettigheder og friheder, som er nævnt i denne erklæring, uden forskelsbehandling af nogen art, for eksempel på grund af race, farve, køn, efter sprog.',
  ],
  [
    'sv',
    'Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.',
  ],
  [
    'sk',
    'Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv. Sú obdarení rozumom a majú navzájom jednať v bratskom duchu. Každý má všetky práva a všetky slobody, ktoré sa vyhlasujú v tejto deklarácii, bez ohľadu na rasu, farbu, pohlavie, jazyk alebo náboženstvo.',
  ],
  [
    'cs',
    'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství. Každý má všechna práva a všechny svobody, které stanoví tato deklarace, bez jakéhokoli rozlišování, zejména podle rasy, barvy, pohlaví, jazyka nebo náboženství.',
  ],
  [
    'sl',
    'Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice. Obdarjeni so z razumom in vestjo in bi morali ravnati drug z drugim kakor bratje. Vsakdo je upravičen do uživanja pravic in svoboščin, ki so razglašene s to deklaracijo.',
  ],
  ['hr', 'Račun se plaća u roku od 30 dana od datuma isporuke i nije moguće platiti gotovinom.'],
  [
    'bg',
    'Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство. Всеки човек има право на всички права и свободи, провъзгласени в тази декларация.',
  ],
  [
    'sr',
    'Сва људска бића рађају се слободна и једнака у достојанству и правима. Она су обдарена разумом и свешћу и треба једни према другима да поступају у духу братства. Свакоме припадају сва права и слободе проглашене у овој декларацији без икаквих разлика у погледу расе, боје, пола, језика, који је од.',
  ],
  [
    'ru',
    'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек должен обладать всеми правами и всеми свободами, как это провозглашено, без какого бы то ни было различия, что касается его расы.',
  ],
  [
    'ca',
    'Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de raó i de consciència, i han de comportar-se fraternalment els uns amb els altres.',
  ],
  [
    'pt',
    'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.',
  ],
  [
    'ro',
    'Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.',
  ],
  [
    'fi',
    'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä, että he ovat.',
  ],
  [
    'hu',
    'Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.',
  ],
  [
    'tr',
    'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Herkes bu hak için bir.',
  ],
  [
    'hi',
    'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।',
  ],
  [
    'mr',
    'सर्व मानवी व्यक्ति जन्मतः स्वतंत्र आहेत व त्यांना समान प्रतिष्ठा व समान अधिकार आहेत. त्यांना विचारशक्ति व सदसद्विवेक लाभलेला आहे आणि त्यांनी एकमेकांशी बंधुत्वाच्या भावनेने वागावे.',
  ],
  [
    'ne',
    'सबै व्यक्ति हरू जन्मजात स्वतन्त्र हुन् ती सबैको समान अधिकार र महत्व छ। निजहरूमा विचार शक्ति र सद्विचार भएको छ र निजहरूले आपसमा भातृत्वको भावना को व्यवहार गर्न पनि।',
  ],
  [
    'fa',
    'تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان هستند و باید نسبت به یکدیگر با روح برادری رفتار کنند.',
  ],
  ['ur', 'تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں۔ انہیں ضمیر اور عقل ودیعت ہوئی ہے۔'],
  [
    'ar',
    'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. وهي التي',
  ],
])('%s is detected', (language, text) => expect(detectLanguage(text)).toBe(language));

test.each([
  [
    'lb',
    "All Mënsch kënnt fräi a mat deer selwechter Dignitéit an dene selwechte Rechter op d'Welt. Jiddereen huet säi Verstand a säi Gewësse krut a soll an engem Geescht vu Bridderlechkeet denen anere géintiwwer handelen.",
  ],
  [
    'la',
    'Omnes homines liberi aequique dignitate atque iuribus nascuntur. Ratione conscientiaque praediti sunt et alii erga alios cum fraternitate se gerere debent.',
  ],
  [
    'eo',
    'Ĉiuj homoj estas denaske liberaj kaj egalaj laŭ digno kaj rajtoj. Ili posedas racion kaj konsciencon, kaj devus konduti unu al alia en spirito de frateco.',
  ],
  [
    'lt',
    'Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai.',
  ],
  [
    'gl',
    'Tódolos seres humanos nacen libres e iguais en dignidade e dereitos e, dotados como están de razón e conciencia, débense comportar fraternalmente uns cos outros.',
  ],
  [
    'is',
    'Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvizku, og ber þeim að breyta bróðurlega hverjum við annan.',
  ],
])('%s is not taken for a language like it', (_, text) => expect(detectLanguage(text)).toBe('und'));

const grades = 'Name,Grade\nAnna,A\nBen,A\nCarla,A\nDan,B';
const columns = '{"k":1,"v":2} {"k":3,"v":4} {"i":1,"o":2} {"i":1,"o":2} {"i":1,"o":2}';
const repeated = 'von,12\nvon,13\nvon,14\nvon,15';
test.each([
  '',
  '12.50 EUR',
  'const a = b;',
  'name,price,quantity\nPen,1.20,3',
  'Colophon GmbH',
  grades,
  columns,
  repeated,
])('too few words are no language: %s', (text) => expect(detectLanguage(text)).toBe('und'));
